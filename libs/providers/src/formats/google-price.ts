/** A price as shown and as read. */
export interface Price {
  value: number;
  currency: string;
  raw: string;
}

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

/** Signs that mean one currency wherever they stand. The longer ones are looked for first. */
const SIGNS: Record<string, string> = {
  US$: 'USD',
  A$: 'AUD',
  AU$: 'AUD',
  CA$: 'CAD',
  C$: 'CAD',
  NZ$: 'NZD',
  HK$: 'HKD',
  S$: 'SGD',
  NT$: 'TWD',
  MX$: 'MXN',
  R$: 'BRL',
  RD$: 'DOP',
  J$: 'JMD',
  TT$: 'TTD',
  N$: 'NAD',
  $U: 'UYU',
  '€': 'EUR',
  '£': 'GBP',
  '₹': 'INR',
  '₩': 'KRW',
  '₽': 'RUB',
  '₺': 'TRY',
  '₫': 'VND',
  '₪': 'ILS',
  '₴': 'UAH',
  '₦': 'NGN',
  '₱': 'PHP',
  '฿': 'THB',
  '₡': 'CRC',
  '₲': 'PYG',
  '₵': 'GHS',
  '₸': 'KZT',
  '₼': 'AZN',
  '₾': 'GEL',
  '₮': 'MNT',
  '₭': 'LAK',
  '៛': 'KHR',
  '৳': 'BDT',
  '֏': 'AMD',
  元: 'CNY',
  円: 'JPY',
  '￥': 'JPY',
  원: 'KRW',
  zł: 'PLN',
  Kč: 'CZK',
  Ft: 'HUF',
  lei: 'RON',
  лв: 'BGN',
  руб: 'RUB',
  грн: 'UAH',
  Rp: 'IDR',
  RM: 'MYR',
  TL: 'TRY',
  CHF: 'CHF',
  'Fr.': 'CHF',
  din: 'RSD',
  дин: 'RSD',
  KM: 'BAM',
  ден: 'MKD',
  'S/': 'PEN',
  Bs: 'BOB',
  Q: 'GTQ',
  'B/.': 'PAB',
  KSh: 'KES',
  Ksh: 'KES',
  TSh: 'TZS',
  USh: 'UGX',
  'GH₵': 'GHS',
  'E£': 'EGP',
  Br: 'ETB',
  'so‘m': 'UZS',
  soʻm: 'UZS',
  'د.إ': 'AED',
  'ر.س': 'SAR',
  'ج.م': 'EGP',
  'د.ك': 'KWD',
  'د.ب': 'BHD',
  'ر.ق': 'QAR',
  'ر.ع': 'OMR',
  'د.أ': 'JOD',
  'ل.ل': 'LBP',
  'د.م': 'MAD',
  'د.ت': 'TND',
  'د.ج': 'DZD',
  'د.ع': 'IQD',
  تومان: 'IRR',
  '﷼': 'SAR',
};

/** What a bare sign means where it is not the most common one (decision S22). */
const BY_COUNTRY: Record<string, { usual: string; here: Record<string, string> }> = {
  $: {
    usual: 'USD',
    here: {
      AU: 'AUD',
      CA: 'CAD',
      NZ: 'NZD',
      SG: 'SGD',
      HK: 'HKD',
      TW: 'TWD',
      MX: 'MXN',
      AR: 'ARS',
      CL: 'CLP',
      CO: 'COP',
      UY: 'UYU',
      BS: 'BSD',
      BB: 'BBD',
      BZ: 'BZD',
      BM: 'BMD',
      BN: 'BND',
      KY: 'KYD',
      FJ: 'FJD',
      GY: 'GYD',
      JM: 'JMD',
      LR: 'LRD',
      NA: 'NAD',
      SB: 'SBD',
      SR: 'SRD',
      TT: 'TTD',
      DO: 'DOP',
      AG: 'XCD',
      DM: 'XCD',
      GD: 'XCD',
      KN: 'XCD',
      LC: 'XCD',
      VC: 'XCD',
      AI: 'XCD',
      MS: 'XCD',
      BR: 'BRL',
      CX: 'AUD',
      CC: 'AUD',
      NF: 'AUD',
      KI: 'AUD',
      NR: 'AUD',
      TV: 'AUD',
      CK: 'NZD',
      NU: 'NZD',
      TK: 'NZD',
      PN: 'NZD',
    },
  },
  kr: { usual: 'SEK', here: { NO: 'NOK', SJ: 'NOK', BV: 'NOK', DK: 'DKK', FO: 'DKK', GL: 'DKK', IS: 'ISK' } },
  '¥': { usual: 'JPY', here: { CN: 'CNY' } },
  '£': { usual: 'GBP', here: { EG: 'EGP', LB: 'LBP', SD: 'SDG', SS: 'SSP', SY: 'SYP', GI: 'GIP', FK: 'FKP', SH: 'SHP' } },
  R: { usual: 'ZAR', here: {} },
  Rs: { usual: 'INR', here: { PK: 'PKR', LK: 'LKR', NP: 'NPR', MU: 'MUR', SC: 'SCR' } },
  L: { usual: 'HNL', here: { MD: 'MDL', SZ: 'SZL', AL: 'ALL' } },
};

/** Currencies whose smallest coin is a thousandth: `1.250` is less than two of them. */
const THOUSANDTHS = new Set(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND']);

const AMOUNT = /\p{Nd}(?:[\p{Nd}.,'’٫٬]|[ \u00a0\u202f](?=\p{Nd}{3}(?!\p{Nd})))*/u;
/** What may stand around a price besides its currency: "from", or the dash for no cents. */
const AROUND = /^(?:from|now|ab|nur|jetzt|à partir de|dès|desde|a partir de|por|da|vanaf|od|от|fra|från|alkaen|起)?[.,]?[-–—]*[*+]?$/iu;

/** Reads a text that is a price and nothing else; undefined for any other text. */
export function parsePrice(raw: string, country: string | undefined): Price | undefined {
  const text = raw
    .normalize('NFKC')
    .replace(/[\u200e\u200f\u061c]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const [amount] = text.length <= LENGTH_MAX ? (AMOUNT.exec(text) ?? []) : [];
  if (!amount) return undefined;
  const at = text.indexOf(amount);
  const currency = currencyOf({ before: text.slice(0, at).trim(), after: text.slice(at + amount.length).trim() }, country);
  const value = valueOf(amount, currency);
  return currency && Number.isFinite(value) ? { value, currency, raw: raw.trim() } : undefined;
}

const LENGTH_MAX = 40;

/** The currency beside an amount; undefined when there is none, or anything else stands there too. */
function currencyOf({ before, after }: { before: string; after: string }, country: string | undefined): string | undefined {
  for (const [side, other] of [
    [before, after],
    [after.replace(/^[.,]?[-–—]+/, '').trim(), before],
  ] as const) {
    if (!AROUND.test(other)) continue;
    // The sign stands next to the amount; what is further out may be a word such as "from".
    const words = side.split(' ');
    for (let count = 1; count <= Math.min(2, words.length); count += 1) {
      const near = side === before ? words.slice(-count) : words.slice(0, count);
      const far = side === before ? words.slice(0, -count) : words.slice(count);
      const currency = AROUND.test(far.join(' ')) && currencyNamed(near.join(''), country);
      if (currency) return currency;
    }
  }
  return undefined;
}

function currencyNamed(sign: string, country: string | undefined): string | undefined {
  const bare = sign.replace(/[*+.]+$/, '');
  if (/^[A-Z]{3}$/.test(bare) && CURRENCIES.has(bare)) return bare;
  const rule = BY_COUNTRY[bare];
  return rule ? (rule.here[country ?? ''] ?? rule.usual) : (SIGNS[sign] ?? SIGNS[bare]);
}

function valueOf(amount: string, currency: string | undefined): number {
  const digits = [...amount].map((sign) => (/\p{Nd}/u.test(sign) ? String(digitOf(sign)) : sign === '٫' ? ',' : sign === '٬' ? "'" : sign)).join('');
  const plain = digits.replace(/[ \u00a0\u202f'’]/g, '').replace(/[.,]$/, '');
  const separators = plain.match(/[.,]/g) ?? [];
  const last = separators.at(-1);
  if (!last) return Number(plain);
  const tail = plain.length - plain.lastIndexOf(last) - 1;
  const repeats = separators.filter((sign) => sign === last).length > 1;
  const isDecimal = !repeats && (tail !== 3 || THOUSANDTHS.has(currency ?? ''));
  const [whole, fraction] = isDecimal ? [plain.slice(0, -tail - 1), plain.slice(-tail)] : [plain, ''];
  return Number(`${whole.replace(/[.,]/g, '')}.${fraction || '0'}`);
}

/** The value of a digit of any script: each script's ten stand in a row. */
function digitOf(digit: string): number {
  let code = digit.codePointAt(0)!;
  const start = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - 1)) && start - code < 9) code--;
  return start - code;
}
