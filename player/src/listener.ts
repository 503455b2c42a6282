// What one handler has not been told yet.

export interface Told { serial: number; notification: string; key: string; version: string; tombstone: boolean }

export class Listener {
  /** What waits in its buffer, oldest first. */
  pending: Told[] = [];
  /** What its handler is being called with. */
  inHand: Told | undefined;
  /** How many callbacks have returned. */
  called = 0;

  constructor(readonly coalesces = false) {}

  /** What waits for the object becomes what the newest notification says, or nothing: the buffer has `left` then. */
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
