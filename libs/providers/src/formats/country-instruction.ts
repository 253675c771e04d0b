/** The system instruction that makes an assistant answer as in a country. */
export function countryInstruction(country: string): string {
  const place = nameOf('region', country);
  const { language } = new Intl.Locale(`und-${country}`).maximize();
  return (
    `The person asking is in ${place} (country code: ${country}). Search the web before you answer, as someone in ${place} would, also in ${nameOf('language', language)}. ` +
    `Prefer sources, offers, prices and places that are meant for ${place}, and use its currency, units and time zone. Answer in the language of the question.`
  );
}

/** The country that such an instruction names. */
export const countryInInstruction = (instruction: string): string | undefined => /\(country code: ([A-Z]{2})\)/.exec(instruction)?.[1];

const nameOf = (type: 'region' | 'language', code: string): string => new Intl.DisplayNames(['en'], { type }).of(code) ?? code;
