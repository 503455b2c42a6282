// One handler: the notifications in its buffer, and the one that it is being called with.

export interface Told { serial: number; notification: string; key: string; version: string; tombstone: boolean }

export class Listener {
  /** The notifications in the buffer, oldest first. */
  pending: Told[] = [];
  /** The notification that the handler is being called with. */
  inHand: Told | undefined;
  /** The number of callbacks that have returned. */
  called = 0;

  constructor(readonly coalesces = false) {}

  /**
   * Merges a notification with the waiting one of the same object, or cancels both. `left` is the length of the
   * buffer afterwards.
   */
  coalesced(told: Told, left: number): void {
    const waiting = this.pending.findLastIndex((other) => other.key === told.key);
    const before = this.pending[waiting];
    if (before) {
      const firstIsAdd = before.notification === "add" && told.notification === "update";
      const notification = firstIsAdd ? before.notification : told.notification;
      this.pending[waiting] = { ...told, serial: before.serial, notification };
    }
    while (this.pending.length > left) {
      const ofKey = this.pending.findLastIndex((other) => other.key === told.key);
      this.pending.splice(ofKey < 0 ? this.pending.length - 1 : ofKey, 1);
    }
  }

  calling(notification: string, key: string): void {
    let place = this.pending.findIndex((told) => told.key === key && told.notification === notification);
    if (place < 0) place = this.pending.findIndex((told) => told.key === key);
    this.inHand = this.pending.splice(Math.max(place, 0), 1)[0];
  }

  finished(): void {
    this.inHand = undefined;
    this.called += 1;
  }
}
