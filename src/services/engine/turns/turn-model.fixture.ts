import type { CallResultType } from '#domain/requests/request.ts'

/** Calls of a turn: `ask` and `free` write, `read` is pre-approved, the others never run. */
export type CallKind = 'ask' | 'free' | 'read' | 'blocked' | 'error'

type Standing = 'pending' | 'approved' | 'denied' | 'expired' | 'revoked' | 'cancelled' | 'none'

interface ModelledCall {
  readonly kind: CallKind
  readonly path: string
  content: string
  /** the text that the approver sees as replaced; `null`: there is no such file */
  base: string | null
  /** it is shown on top of what an earlier call proposes */
  assumed: boolean
  standing: Standing
  result: CallResultType | null
}

/** One turn by the rulings alone (product.md 7, 8, 11, 12, 14, 15), in memory. */
export class TurnModel {
  readonly disk: Map<string, string>
  readonly calls: ModelledCall[] = []
  /** positions from 0 of the calls with effects that ran, in order */
  readonly ran: number[] = []
  stopped = Infinity

  constructor(
    disk: ReadonlyMap<string, string>,
    calls: readonly { readonly kind: CallKind; readonly path: string; readonly content: string }[],
  ) {
    this.disk = new Map(disk)
    for (const [index, { kind, path, content }] of calls.entries()) {
      const result = kind === 'blocked' || kind === 'error' ? kind : null
      const standing = kind === 'ask' ? 'pending' : 'none'
      this.calls.push({ kind, path, content, base: null, assumed: false, standing, result })
      this.#show(index)
    }
  }

  get isOver(): boolean {
    return this.calls.every((call) => call.result !== null)
  }

  /** A decision or its like on a pending request; `false` where it must be refused. */
  decide(place: number, outcome: 'approved' | 'denied' | 'expired'): boolean {
    const call = this.calls[place]
    if (call?.standing !== 'pending') return false
    call.standing = outcome
    return true
  }

  stop(place: number): boolean {
    if (!this.decide(place, 'denied')) return false
    this.stopped = Math.min(this.stopped, place)
    for (const later of this.calls.slice(place + 1)) {
      if (later.standing === 'pending') later.standing = 'cancelled'
      if (later.standing === 'approved' && later.result === null) later.standing = 'revoked'
    }
    return true
  }

  edit(place: number, content: string): boolean {
    const call = this.calls[place]
    if (call?.standing !== 'pending') return false
    call.content = content
    this.#show(place)
    return true
  }

  revoke(place: number): boolean {
    const call = this.calls[place]
    if (call?.standing !== 'approved' || call.result !== null) return false
    call.standing = 'revoked'
    return true
  }

  /** The executor checks one call, whatever started it. */
  perform(place: number): void {
    const call = this.calls[place]
    if (call === undefined) return
    call.result ??= this.#resultOf(place, call)
    if (call.result !== null) this.#reconsider(place)
  }

  #resultOf(place: number, call: ModelledCall): CallResultType | null {
    if (call.standing === 'denied') return 'denied'
    if (call.standing === 'expired') return 'expired'
    if (place > this.stopped || call.standing === 'revoked' || call.standing === 'cancelled') {
      return 'cancelled'
    }
    if (call.standing === 'pending') return null
    if (call.standing === 'approved' && call.base !== this.#onDisk(call)) {
      call.standing = 'pending'
      call.base = this.#onDisk(call)
      call.assumed = false
      return null
    }
    if (call.kind === 'read') return 'output'
    if (this.calls.slice(0, place).some((one) => one.result === null && one.kind !== 'read')) {
      return null
    }
    this.disk.set(call.path, call.content)
    this.ran.push(place)
    return 'output'
  }

  /** Later pending calls on top of an effect that will not occur get new requests. */
  #reconsider(place: number): void {
    for (const [later, call] of this.calls.entries()) {
      if (later > place && call.standing === 'pending' && call.assumed) {
        const before = call.base
        const assumed = this.#show(later)
        if (call.base === before) call.assumed = true
        else call.assumed = assumed
      }
    }
  }

  /** What the call would replace, on top of the earlier ones that have no result yet. */
  #show(place: number): boolean {
    const call = this.calls[place]
    if (call === undefined) return false
    const earlier = this.calls
      .slice(0, place)
      .findLast((one) => one.path === call.path && one.result === null && one.kind !== 'read')
    call.assumed = earlier !== undefined
    call.base = earlier?.content ?? this.#onDisk(call)
    return call.assumed
  }

  #onDisk(call: ModelledCall): string | null {
    return this.disk.get(call.path) ?? null
  }
}
