/** Somebody named a thing that does not exist; the message says which. */
export class NotFound extends Error {
  override name = 'NotFound';
}
