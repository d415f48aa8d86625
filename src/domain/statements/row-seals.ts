import {
  createHash,
  createHmac,
  createSecretKey,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto'
import { canonicalJson } from '../json/digest.ts'
import { isSealed, sealedTables, omittableColumns, type SealedTable } from './sealed-tables.ts'
import { isSigned, signVerified, type Signer, type Verifier } from './statement-bytes.ts'

/** A secret that API and Temporal workers share; `id` names it in seals. */
export interface SealKey {
  readonly id: string
  readonly key: Buffer
}

/** The first one makes seals; all of them verify. */
export type SealKeys = readonly [SealKey, ...SealKey[]]

/** A row as it is read or written: dates or their text, JSON as values. */
export type SealableRow = Readonly<Record<string, unknown>>

/** Something that has ended for good, by its id; a key's secret by its hash. */
export interface Revocation {
  readonly what:
    | 'person'
    | 'session'
    | 'api_key'
    | 'api_key_proposal'
    | 'key_secret'
    | 'credential'
    | 'identity'
    | 'membership'
    | 'slack_link'
    | 'push_subscription'
    | 'grant'
    | 'permit'
    | 'policy_proposal'
  readonly id: string
}

/** `from`: it ends then, by the clock of the host; absent: it has ended. */
export interface PlannedRevocation extends Revocation {
  readonly from?: Date | null
}

/** Remembers ends outside the database, so that no restored row revives (security.md 29). */
export interface Revocations {
  has(revoked: Revocation): boolean
  /** On the disk before it resolves. */
  add(revoked: readonly PlannedRevocation[]): Promise<void>
}

const revocable: readonly string[] = [
  'person',
  'session',
  'api_key',
  'api_key_proposal',
  'credential',
  'identity',
  'membership',
  'slack_link',
  'push_subscription',
]

/** Makes and verifies seals of whole rows, with keys outside the database (security.md 29). */
export interface Seals {
  /** The seal of a new row. Throws where this process may not make it. */
  of(table: SealedTable, row: SealableRow): string
  /**
   * Whether a row's `seal` is valid for its columns, and the session, key, grant or other thing of
   * the row has not ended. Never throws on hostile input.
   */
  holds(table: SealedTable, row: SealableRow | null | undefined): boolean
  /** Whether a row's `seal` is valid for its columns, even if the thing of the row has ended. */
  fits(table: SealedTable, row: SealableRow): boolean
  /** As `holds`, for a seal of every column only; seals of earlier versions may have fewer. */
  holdsWhole(table: SealedTable, row: SealableRow): boolean
  readonly revocations: Revocations
  /** The seal of a text that API and Temporal workers exchange through the database. */
  ofMessage(text: string): string
  /** Whether a process of this installation has sealed a text. Never throws on hostile input. */
  holdsMessage(text: string, seal: string): boolean
  /** The seal of a row after a change; an invalid seal stays invalid. */
  again(table: SealedTable, row: SealableRow, change: SealableRow): string | null
}

/** `signer`: the API's; `null` in a Temporal worker, which cannot make the API's rows. */
export function createSeals(keys: {
  readonly sharedKeys: () => SealKeys
  readonly verifier: Verifier
  readonly signer: Signer | null
  readonly revocations: Revocations
}): Seals {
  const { sharedKeys, verifier, signer, revocations } = keys
  const seals: Seals = {
    revocations,
    of(table, row) {
      const statement = sealedOf(table, row)
      if (sealedTables[table].by === 'service') {
        const [key] = sharedKeys()
        return `${key.id}.${macOf(key, rowPrefix, canonicalJson(statement))}`
      }
      if (signer === null) throw new Error(`Only the API seals rows of ${table}`)
      const { keyId, signature } = signVerified(signer, verifier, 'row', statement)
      return `${keyId}.${signature}`
    },
    holds: (table, row) => !hasEnded(table, row) && check(table, row, omittableColumns(table)),
    fits: (table, row) => check(table, row, omittableColumns(table)),
    holdsWhole: (table, row) => !hasEnded(table, row) && check(table, row, [[]]),
    ofMessage(text) {
      const [key] = sharedKeys()
      return `${key.id}.${macOf(key, messagePrefix, text)}`
    },
    holdsMessage(text, seal) {
      const [keyId = '', mark = ''] = seal.split('.')
      const key = sharedKeys().find(({ id }) => id === keyId)
      return key !== undefined && isSame(macOf(key, messagePrefix, text), mark)
    },
    again(table, row, change) {
      if (!seals.holds(table, row)) return (row['seal'] as string | null | undefined) ?? null
      return seals.of(table, { ...row, ...change })
    },
  }
  function hasEnded(table: SealedTable, row: SealableRow | null | undefined): boolean {
    const what = table as Revocation['what']
    if (!revocable.includes(table) || row == null) return false
    return revocations.has({ what, id: endingId(table, row) })
  }
  /** `forms`: for each form that a seal may have, the columns that it leaves out. */
  function check(
    table: SealedTable,
    row: SealableRow | null | undefined,
    forms: ReturnType<typeof omittableColumns>,
  ): boolean {
    const seal = row?.['seal']
    if (typeof seal !== 'string' || row == null) return false
    const dot = seal.indexOf('.')
    const [keyId, mark] = [seal.slice(0, Math.max(dot, 0)), seal.slice(dot + 1)]
    try {
      const sealed = sealedOf(table, row)
      if (sealedTables[table].by === 'service') {
        const key = sharedKeys().find(({ id }) => id === keyId)
        if (key === undefined) return false
        return forms.some((omitted) =>
          isSame(macOf(key, rowPrefix, canonicalJson(without(sealed, omitted))), mark),
        )
      }
      return forms.some((omitted) => {
        const statement = canonicalJson(without(sealed, omitted))
        return isSigned(verifier, 'row', { statement, signature: mark, keyId })
      })
    } catch {
      return false
    }
  }
  return seals
}

/** The id of a shared key in seals. */
export function sealKeyOf(key: Buffer): SealKey {
  const id = createHash('sha256').update('countersign/seal-key\0').update(key).digest('hex')
  return { id: id.slice(0, 8), key }
}

/** A hash of the people behind a request, in any order: part of its row. */
export function principalsDigest(
  principals: readonly { readonly personId: string; readonly why: string }[],
): string {
  const all = new Set(principals.map(({ personId, why }) => `${personId} ${why}`))
  return createHash('sha256')
    .update(canonicalJson([...all].toSorted()))
    .digest('base64url')
}

/**
 * The name in the ledger for the session, key or other thing of a row. Accounts at a provider and
 * memberships of earlier versions have no id; their name is a hash of the ids that they connect.
 */
export function endingId(table: SealedTable, row: SealableRow): string {
  const { id, issuer, subject, team, person_id: personId } = row
  if (typeof id === 'string') return id
  const parts = table === 'identity' ? [issuer, subject, personId] : [team, personId]
  return createHash('sha256')
    .update(canonicalJson(parts.map(String)))
    .digest('base64url')
}

interface SealedRow {
  readonly table: string
  readonly row: SealableRow
}

/**
 * The columns that a seal of an earlier version covers: all sealed columns except those that were
 * added later.
 */
function without(sealed: SealedRow, omitted: readonly string[]): SealedRow {
  if (omitted.length === 0) return sealed
  const members = Object.entries(sealed.row).filter(([name]) => !omitted.includes(name))
  return { ...sealed, row: Object.fromEntries(members) }
}

function sealedOf(table: SealedTable, row: SealableRow): SealedRow {
  const values: Record<string, unknown> = {}
  for (const name of sealedTables[table].columns) {
    const value = plain(row[name])
    if (isSealed(table, name, value)) values[name] = value
  }
  return { table, row: values }
}

/**
 * The value as the database returns it: a date as text, no value as `null`. Canonical JSON leaves
 * out what JSON cannot represent.
 */
function plain(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (value instanceof Date) return value.toJSON()
  return value ?? null
}

/** Each key object is made once, because that takes longer than the hash of a row. */
const keyObjects = new WeakMap<Buffer, KeyObject>()

const rowPrefix = 'countersign/row/v1'
const messagePrefix = 'countersign/message/v1'

function macOf({ key }: SealKey, prefix: string, text: string): string {
  const keyObject = keyObjects.get(key) ?? createSecretKey(key)
  keyObjects.set(key, keyObject)
  return createHmac('sha256', keyObject).update(`${prefix}\0${text}`).digest('base64url')
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
