import type * as z from 'zod';

/** One line of a price. */
export interface LineItem {
  item: string;
  credits: number;
}

/**
 * What may be asked of a provider and what comes back: plain data and zod, safe to load in any process.
 * Everything that the rest of the product knows about a provider, it reads here.
 */
export interface ProviderContract<Request = unknown, Result = unknown> {
  /** The identifier of the asynchronous interface, such as `CHATGPT`. */
  id: string;
  /** `POST /v1/monitor/<path>`. */
  path: string;
  /** The name a person reads. */
  label: string;
  /** The country list of each model name that `GET /v1/countries?model=` knows for this provider. */
  models: Readonly<Record<string, readonly string[]>>;
  request: z.ZodType<Request>;
  result: z.ZodType<Result>;
  /** The base price (decision M1); an operator may set another with `<PROVIDER>_CREDITS`. */
  baseCredits: number;
  /** What the options of a request cost extra (decision M2); free options give no line. */
  surcharges(request: Request): LineItem[];
  /** What was asked and from where, for the request log. */
  describe(request: Request): { prompt: string; country: string };
}

/** The one price function: line items of a request, the base first. `baseCredits` replaces the contract's own. */
export function priceOf<Request>(contract: ProviderContract<Request>, request: Request, baseCredits = contract.baseCredits): LineItem[] {
  return [{ item: 'base', credits: baseCredits }, ...contract.surcharges(request)];
}

/** The sum of a price. */
export const creditsOf = (items: LineItem[]): number => items.reduce((sum, { credits }) => sum + credits, 0);
