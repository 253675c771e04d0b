import { answerAds, answerPlaces, answerProducts, answerVideos } from '../../formats/google-answer-extras.js';
import type { ProductCard } from '../../formats/google-cards.js';
import type { Turn } from '../../formats/google-turn.js';
import type { AimodeRequest, AimodeResult } from '../contract.js';

type Product = NonNullable<AimodeResult['shopping_cards']>[number]['products'][number];

/** The result of decision S18 from a turn of the conversation, apart from stored HTML. */
export function extractResult({ place, answer }: Turn, include: AimodeRequest['include'], country: string | undefined): AimodeResult {
  const { text, markdown, sources, pills } = answer;
  const places = answerPlaces(place);
  const products = answerProducts(place, country);
  const videos = answerVideos(place);
  const ads = answerAds(place, country);
  return {
    text,
    ...(include.markdown && { markdown }),
    sources,
    citationPills: pills,
    ...(places.length && { places }),
    ...(products.length && { shopping_cards: [{ products: products.map(productOf), tags: [] }] }),
    ...(videos.length && { videos }),
    ...(ads.length && { ads }),
  };
}

function productOf({ title, productLink, price, rating, reviews, thumbnail, store }: ProductCard, index: number): Product {
  const count = reviews && /^\d+$/.test(reviews.replace(/[.,\s]/g, '')) ? Number(reviews.replace(/[.,\s]/g, '')) : undefined;
  return {
    position: index + 1,
    title,
    price: price.raw,
    ...(productLink && { url: productLink }),
    ...(rating && { rating }),
    ...(count !== undefined && { num_reviews: count }),
    ...(thumbnail && { image_urls: [thumbnail] }),
    ...(store && { merchant: store }),
  };
}
