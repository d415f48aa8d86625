import { textIn } from '#domain/json/value-in.ts'
import type { KeyObject } from 'node:crypto'
import { linkReachMs, readPasskeyKey } from '#domain/deciding/decision-signature.ts'
import { hashBytes } from '#domain/json/digest.ts'
import type { Findings } from '../findings/finding.ts'
import { referenceTo, type LoggedEvent } from '../findings/logged-event.ts'

/** A passkey by the events so far. */
export interface Passkey {
  readonly personId: string
  /** `null`: the registered key is invalid */
  readonly key: KeyObject | null
  readonly keyHash: string
  /** when it was registered, in milliseconds since 1970 */
  readonly registeredMs: number
  /** id of the second person; `null`: nobody else has confirmed it */
  confirmedBy: string | null
  /** index of the event that removed it */
  removedBy: number | null
}

/**
 * Follows who registered and confirmed which passkey: a confirmation by the owner is a failure of
 * authorisation (audit.md, Approver's signature).
 */
export class Passkeys {
  readonly #byId = new Map<string, Passkey>()
  /** sign-in links that people made: for whom, by whom, when */
  readonly #links: { readonly personId: string; readonly by: string; readonly atMs: number }[] = []
  readonly #findings: Findings

  constructor(authorisation: Findings) {
    this.#findings = authorisation
  }

  /** By the id in a signature; `undefined`: no event names it. */
  of(credentialId: string): Passkey | undefined {
    return this.#byId.get(credentialId)
  }

  take(event: LoggedEvent): void {
    if (event.type !== 'credential.changed') return
    const { detail } = event
    const change = textIn(detail, 'change')
    const personId = textIn(detail, 'personId')
    if (change === 'link_created' && personId !== null && event.actor.id !== null) {
      this.#links.push({ personId, by: event.actor.id, atMs: event.atMs })
      return
    }
    const id = textIn(detail, 'credentialId')
    if (change === null || id === null) return
    if (change === 'passkey_registered') {
      this.#register(event, id)
      return
    }
    const passkey = this.#byId.get(id)
    if (passkey === undefined) return
    if (change === 'passkey_confirmed') this.#confirm(event, passkey)
    else if (change === 'passkey_removed') passkey.removedBy ??= event.index ?? -1
  }

  #register(event: LoggedEvent, id: string): void {
    const at = referenceTo(event)
    const personId = textIn(event.detail, 'personId') ?? ''
    const spki = textIn(event.detail, 'publicKey') ?? ''
    if (event.actor.type !== 'person' || event.actor.id !== personId) {
      this.#findings.fail('a passkey was registered by somebody else than its owner', at)
    }
    if (this.#byId.has(id)) this.#findings.fail('the passkey was registered before', at)
    const keyHash = hashBytes(Buffer.from(spki, 'base64'))
    const key = readPasskeyKey(spki)
    const registered = { personId, key, keyHash, registeredMs: event.atMs }
    this.#byId.set(id, { ...registered, confirmedBy: null, removedBy: null })
  }

  #confirm(event: LoggedEvent, passkey: Passkey): void {
    const at = referenceTo(event)
    const { actor, detail } = event
    if (actor.type !== 'person' || actor.id === null || actor.id === passkey.personId) {
      this.#findings.fail('a passkey was confirmed by nobody else than its owner', at)
    } else if (textIn(detail, 'publicKeyHash') !== passkey.keyHash) {
      this.#findings.fail('another key was confirmed than the one that was registered', at)
    } else if (this.#couldBe(actor.id, passkey)) {
      this.#findings.fail(
        'the person who confirmed a passkey had created a sign-in link for its owner',
        at,
      )
    } else passkey.confirmedBy = actor.id
  }

  /** Whether this person could have been in its owner's session when it was registered. */
  #couldBe(confirmerId: string, { personId, registeredMs }: Passkey): boolean {
    return this.#links.some(
      (link) =>
        link.personId === personId &&
        link.by === confirmerId &&
        link.atMs <= registeredMs &&
        link.atMs >= registeredMs - linkReachMs,
    )
  }
}
