/**
 * The connections of a server: so many in all and so many of one address, and when there is one more, the one that has been of no use
 * for longest makes room for it.
 *
 * Invariant: whoever connects and says nothing keeps nobody out: a connection is closed for another only while no request of it is under way,
 * or while it leaves unread what it was answered.
 * Invariant: one address cannot take the places of all: beyond its share it makes room for itself, or is turned away.
 */
import type { Refusal } from './metrics.js';

interface Socket {
  destroy(): unknown;
  /** Bytes of answers that the other side has not taken. */
  readonly writableLength: number;
}

export interface ConnectionLimits {
  readonly connections: number;
  readonly connectionsPerAddress: number;
}

/** Connections of one address that have said nothing yet: a proxy opens many at once, and has something to say on each. */
const MOST_SILENT = 64;
/** Whoever has said nothing for so long may go; a busy server reads late what came in time. */
const SILENT_MS = 1_000;
/** Whoever has not taken for so long what it was answered may go. */
const UNREAD_MS = 2_000;

interface Held {
  readonly address: string;
  readonly since: number;
  running: number;
  /** While something was there to be read at every look. */
  unread: { readonly since: number; readonly upTo: string; readonly stillSince: number } | undefined;
}

interface Share {
  open: number;
  silent: number;
}

export class Connections<S extends Socket> {
  private readonly limits: ConnectionLimits;
  private readonly now: () => number;
  private readonly turnAway: (socket: S) => void;
  private readonly refused: (why: Refusal) => void;
  private readonly held = new Map<S, Held>();
  private readonly shares = new Map<string, Share>();
  /** Each in the order in which it came to be so. */
  private readonly silent = new Set<S>();
  private readonly idle = new Set<S>();

  /** `turnAway` closes a connection for which there is no room, with a word. */
  constructor(
    limits: ConnectionLimits,
    turnAway: (socket: S) => void,
    now: () => number,
    refused: (why: Refusal) => void = () => undefined,
  ) {
    this.limits = limits;
    this.refused = refused;
    this.turnAway = turnAway;
    this.now = now;
  }

  get open(): number {
    return this.held.size;
  }

  take(socket: S, address: string): void {
    const share = this.shares.get(address) ?? { open: 0, silent: 0 };
    this.shares.set(address, share);
    share.open += 1;
    share.silent += 1;
    this.held.set(socket, { address, since: this.now(), running: 0, unread: undefined });
    this.silent.add(socket);
    const isOwn = (each: S) => this.held.get(each)?.address === address;
    if (share.open > this.limits.connectionsPerAddress) this.makeRoom(socket, isOwn);
    else if (this.open > this.limits.connections) this.makeRoom(socket, () => true);
    else if (share.silent > MOST_SILENT) this.closeSilent(isOwn);
  }

  /** A request of it has come whole, but for its body. Gives how many of it are under way with this one: 0 where it has no place. */
  begin(socket: S): number {
    const held = this.held.get(socket);
    if (held === undefined) return 0;
    if (this.silent.delete(socket)) this.shareOf(held).silent -= 1;
    this.idle.delete(socket);
    held.running += 1;
    return held.running;
  }

  end(socket: S): void {
    const held = this.held.get(socket);
    if (held === undefined || held.running === 0) return;
    held.running -= 1;
    if (held.running === 0) this.idle.add(socket);
  }

  /**
   * To be called every second or so: who leaves its answers unread may go for others, and goes when it has taken nothing of them for
   * `stillMs`. `taken` tells how far it has read, as anything that differs once it has read on; what it sends meanwhile does not count.
   */
  look(stillMs: number, taken: (socket: S) => string): void {
    const at = this.now();
    for (const [socket, held] of this.held) {
      const was = held.unread;
      const upTo = taken(socket);
      if (held.running === 0 || socket.writableLength === 0) held.unread = undefined;
      else held.unread = { since: was?.since ?? at, upTo, stillSince: was?.upTo === upTo ? was.stillSince : at };
      if (held.unread !== undefined && at - held.unread.stillSince >= stillMs) this.close(socket, 'unread');
    }
  }

  leave(socket: S): void {
    const held = this.held.get(socket);
    if (held === undefined) return;
    const share = this.shareOf(held);
    share.open -= 1;
    if (this.silent.delete(socket)) share.silent -= 1;
    this.idle.delete(socket);
    this.held.delete(socket);
    if (share.open === 0) this.shares.delete(held.address);
  }

  /** The one that has just come goes only where all others are at work. */
  private makeRoom(newcomer: S, among: (socket: S) => boolean): void {
    const unneeded =
      first(this.silent, (each) => each !== newcomer && among(each)) ??
      first(this.idle, among) ??
      first(this.held.keys(), (each) => this.isLeftUnread(each) && among(each));
    if (unneeded === undefined) {
      this.leave(newcomer);
      this.refused('no-room');
      this.turnAway(newcomer);
    } else this.close(unneeded, this.isLeftUnread(unneeded) ? 'unread' : 'made-room');
  }

  private isLeftUnread(socket: S): boolean {
    const since = this.held.get(socket)?.unread?.since;
    return since !== undefined && socket.writableLength > 0 && this.now() - since >= UNREAD_MS;
  }

  private closeSilent(among: (socket: S) => boolean): void {
    const oldest = first(this.silent, among);
    if (oldest !== undefined && this.now() - (this.held.get(oldest)?.since ?? 0) >= SILENT_MS) this.close(oldest, 'made-room');
  }

  private close(socket: S, why: Refusal): void {
    this.leave(socket);
    this.refused(why);
    socket.destroy();
  }

  private shareOf({ address }: Held): Share {
    const share = this.shares.get(address);
    if (share === undefined) throw new Error('a connection of no address');
    return share;
  }
}

function first<S>(sockets: Iterable<S>, wanted: (socket: S) => boolean): S | undefined {
  for (const each of sockets) if (wanted(each)) return each;
  return undefined;
}
