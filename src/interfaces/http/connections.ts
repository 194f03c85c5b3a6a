/**
 * The connections of a server: so many, and when there is one more, the one that has been of no use for longest makes room for it.
 *
 * Invariant: whoever connects and says nothing keeps nobody out: a connection is closed for another only while no request of it is under way.
 */
interface Socket {
  destroy(): unknown;
}

export class Connections<S extends Socket> {
  private readonly most: number;
  /** Each in the order in which it came to be so. */
  private readonly silent = new Set<S>();
  private readonly idle = new Set<S>();
  private readonly busy = new Map<S, number>();

  constructor(most: number) {
    this.most = most;
  }

  get open(): number {
    return this.silent.size + this.idle.size + this.busy.size;
  }

  take(socket: S): void {
    this.silent.add(socket);
    if (this.open <= this.most) return;
    // The one that has just come is the last of the silent: it goes only where all others are at work.
    const [unneeded = socket] = this.silent.size > 1 || this.idle.size === 0 ? this.silent : this.idle;
    this.leave(unneeded);
    unneeded.destroy();
  }

  /** A request of it has come whole, but for its body. */
  begin(socket: S): void {
    if (!this.has(socket)) return;
    this.silent.delete(socket);
    this.idle.delete(socket);
    this.busy.set(socket, (this.busy.get(socket) ?? 0) + 1);
  }

  end(socket: S): void {
    const running = this.busy.get(socket);
    if (running === undefined) return;
    if (running > 1) this.busy.set(socket, running - 1);
    else {
      this.busy.delete(socket);
      this.idle.add(socket);
    }
  }

  leave(socket: S): void {
    this.silent.delete(socket);
    this.idle.delete(socket);
    this.busy.delete(socket);
  }

  private has(socket: S): boolean {
    return this.silent.has(socket) || this.idle.has(socket) || this.busy.has(socket);
  }
}
