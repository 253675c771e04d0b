/** A request is no delivery that you should act upon: answer it with 401 and do nothing. */
export abstract class WebhookRejected extends Error {}

/** It carries no signature that could be verified; signing may be off for the account. The message names what is missing. */
export class SignatureMissing extends WebhookRejected {
  override name = 'SignatureMissing';
}

/** It was signed with another secret, or its body is not the one that was signed. */
export class SignatureWrong extends WebhookRejected {
  override name = 'SignatureWrong';
}

/** It is genuine, but was signed too long ago, as a recorded one would be; or your clock is wrong. */
export class TimestampTooFar extends WebhookRejected {
  override name = 'TimestampTooFar';
}

/** Your own code gave something that is no raw body; nothing can be said of the delivery. */
export class RawBodyNeeded extends TypeError {
  override name = 'RawBodyNeeded';
}

/** Your own code gave something that is no `whsec_` secret; nothing can be said of the delivery. */
export class SecretMalformed extends TypeError {
  override name = 'SecretMalformed';
}
