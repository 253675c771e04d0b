import { dice, pick, type Content } from './content.js';

// Products, places and pictures that go with what a stand-in says, before a provider's format clothes them.

export interface Offering {
  id: string;
  title: string;
  description: string;
  merchant: string;
  /** Amounts of the local currency. */
  price: number;
  oldPrice: number;
  rating: number;
  reviews: number;
  url: string;
  imageUrl: string;
}

export interface Spot {
  id: string;
  name: string;
  category: string;
  description: string;
  address: string[];
  phone: string;
  /** From 1, cheap, to 4. */
  priceLevel: number;
  rating: number;
  reviews: number;
  lat: number;
  lng: number;
  url: string;
  imageUrl: string;
}

export interface Picture {
  title: string;
  pageUrl: string;
  imageUrl: string;
  thumbnailUrl: string;
  width: number;
  height: number;
}

const MERCHANTS = ['Kiosk Nine', 'Depot Direct', 'Fairgoods', 'Old Town Supply', 'Parcel House'];
const STREETS = ['Harbour Road', 'Mill Lane', 'Station Square', 'Garden Street', 'Bridge Row'];
const NAMES = ['Aurora', 'Beacon', 'Cedar', 'Lantern', 'Meridian', 'Quay'];

/** What shops sell on the topic: the products that the answer's points name. */
export function productsOf(content: Content): Offering[] {
  const roll = dice('products', content.topic, content.place);
  return content.points.map(({ lead, text }, index) => {
    const title = lead.replace(/^.*: /, '');
    const [merchant = ''] = pick(MERCHANTS, 1, roll);
    const price = roll(18_000) / 100 + 19;
    const url = `https://shop.${slugOf(merchant)}.example/${slugOf(title)}`;
    const worth = { price, oldPrice: Math.round(price * 125) / 100, rating: (roll(15) + 35) / 10, reviews: roll(4000) + 12 };
    return { id: `${slugOf(title)}-${index + 1}`, title, description: `${title} ${text}`, merchant, ...worth, url, imageUrl: `${url}.jpg` };
  });
}

/** Places of a category on a map of nowhere in particular. */
export function spotsOf(content: Content, category: string): Spot[] {
  const roll = dice('spots', category, content.topic, content.place);
  return pick(NAMES, 3, roll).map((name, index) => {
    const [street = ''] = pick(STREETS, 1, roll);
    const url = `https://${slugOf(name)}-${slugOf(category)}.example`;
    return {
      id: `${slugOf(category)}-${index + 1}`,
      name: `${name} ${category}`,
      category,
      description: `${name} is known in ${content.place} for its ${category.toLowerCase()}.`,
      address: [`${roll(90) + 1} ${street}`, content.place],
      phone: `+${roll(80) + 10} ${roll(900) + 100} ${roll(9000) + 1000}`,
      priceLevel: roll(4) + 1,
      rating: (roll(15) + 35) / 10,
      reviews: roll(900) + 20,
      lat: (roll(12_000) - 6000) / 100,
      lng: (roll(30_000) - 15_000) / 100,
      url,
      imageUrl: `${url}/front.jpg`,
    };
  });
}

/** Pictures from the pages that the answer rests on. */
export const picturesOf = (content: Content): Picture[] =>
  content.sources.slice(0, 3).map(({ url, title, domain }, index) => ({
    title,
    pageUrl: url,
    imageUrl: `https://img.${domain}/${index + 1}.jpg`,
    thumbnailUrl: `https://img.${domain}/${index + 1}-small.jpg`,
    width: 1600,
    height: 900,
  }));

const slugOf = (words: string): string =>
  words
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
