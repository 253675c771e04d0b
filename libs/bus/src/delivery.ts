import type { MsgHdrs } from '@nats-io/transport-node';

/** A message that its receiver has to acknowledge, whichever way it came. */
export interface Delivery {
  data: Uint8Array;
  headers: MsgHdrs | undefined;
  /** Done: never send it again. */
  ack(): void;
  /** Not done: send it again, to anybody, after a while. */
  nak(delayMs: number): void;
  /** Still at it: do not send it to anybody else. */
  working(): void;
}
