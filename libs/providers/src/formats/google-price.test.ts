import { describe, expect, it } from '@jest/globals';
import { parsePrice } from './google-price.js';

describe('a price', () => {
  it.each([
    ['$1,299.00', 'US', 1299, 'USD'],
    ['$1,299.00', 'CA', 1299, 'CAD'],
    ['$12.990', 'CO', 12990, 'COP'],
    ['US$ 12.50', 'AU', 12.5, 'USD'],
    ['12,99 €', 'DE', 12.99, 'EUR'],
    ['1.299 €', 'DE', 1299, 'EUR'],
    ['25,- €', 'NL', 25, 'EUR'],
    ['ab 12,00 €', 'DE', 12, 'EUR'],
    ['R$ 1.299,90', 'BR', 1299.9, 'BRL'],
    ['1\u00a0299,00 zł', 'PL', 1299, 'PLN'],
    ["CHF 1'299.00", 'CH', 1299, 'CHF'],
    ['₹1,29,999.00', 'IN', 129999, 'INR'],
    ['199 kr', 'DK', 199, 'DKK'],
    ['kr 199', 'NO', 199, 'NOK'],
    ['199,- kr.', 'SE', 199, 'SEK'],
    ['¥12,800', 'JP', 12800, 'JPY'],
    ['¥128', 'CN', 128, 'CNY'],
    ['12,800円', 'JP', 12800, 'JPY'],
    ['Rp1.299.000', 'ID', 1299000, 'IDR'],
    ['12.500 KWD', 'KW', 12.5, 'KWD'],
    ['KWD 1,250.750', 'KW', 1250.75, 'KWD'],
    ['١٢٫٩٩ د.إ', 'AE', 12.99, 'AED'],
    ['S/ 49.90', 'PE', 49.9, 'PEN'],
  ])('%s in %s is %d %s', (raw, country, value, currency) => {
    expect(parsePrice(raw, country)).toEqual({ value, currency, raw });
  });

  it.each(['free', '4.2', '(110)', '25,90 € Kostenloser Versand', '3 for $10', '$49/mo', '1,- €/kg', 'iPhone 15', '10 % off', ''])('is not %j', (text) => {
    expect(parsePrice(text, 'US')).toBeUndefined();
  });
});
