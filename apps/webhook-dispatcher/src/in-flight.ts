/** An attempt that this process has claimed: its row is written, its request is not sent yet. */
export interface Claim {
  deliveryId: string;
  taskId: string;
  accountId: string;
  receiver: string;
  url: string;
  attempt: number;
  /** Null when it is too large to be read together with others. */
  body: Buffer | null;
  bodyBytes: number;
  /** What signs it, encrypted; null when signing is off. */
  secret: Buffer | null;
  /** The `traceparent` of its task's trace. */
  trace: string | null;
  /** How late it is. */
  lagMs: number;
}

/** How many more attempts may begin; who is not named has nothing under way. */
export interface Room {
  receivers: Record<string, number>;
  accounts: Record<string, number>;
}

// Decision W6. A process that holds so many bytes for one account lets it wait as well.
export const RECEIVER_MAX = 5;
export const ACCOUNT_MAX = 50;
const ACCOUNT_MAX_BYTES = 64 * 1024 * 1024;

/** What this process is sending right now. The limits hold for each process by itself. */
export class InFlight {
  private readonly claims = new Set<Claim>();

  get size(): number {
    return this.claims.size;
  }

  add(claim: Claim): void {
    this.claims.add(claim);
  }

  delete(claim: Claim): void {
    this.claims.delete(claim);
  }

  list(): Claim[] {
    return [...this.claims];
  }

  room(): Room {
    const receivers: Record<string, number> = {};
    const accounts: Record<string, number> = {};
    const bytes: Record<string, number> = {};
    for (const { receiver, accountId, bodyBytes } of this.claims) {
      receivers[receiver] = (receivers[receiver] ?? RECEIVER_MAX) - 1;
      bytes[accountId] = (bytes[accountId] ?? 0) + bodyBytes;
      accounts[accountId] = bytes[accountId] > ACCOUNT_MAX_BYTES ? 0 : Math.max(0, (accounts[accountId] ?? ACCOUNT_MAX) - 1);
    }
    return { receivers, accounts };
  }
}
