import { createContext, use, useCallback, useEffect, useMemo, useState } from 'react'
import { chippedSecrets, type FoundSecret } from '#domain/text/secrets.ts'
import { callApi } from '../api/call-api.ts'

/** What looks like a secret on a page, and which of it its reader had shown (security.md 20). */
export interface Secrets {
  readonly revealed: ReadonlySet<string>
  /** A chip is there with this value; returns what to do when it goes. */
  readonly drawn: (value: string) => () => void
  /** Shows a value once that is recorded; rejects with why it could not be. */
  readonly reveal: (secret: { readonly value: string; readonly kind: string }) => Promise<void>
}

/** Where there is one, `VisibleLine` draws secrets as chips; elsewhere as the text they are. */
export const SecretsContext = createContext<Secrets | null>(null)

export interface PageSecrets {
  /** of what will happen: each has to be revealed before high risk is approved */
  readonly counted: Secrets
  /** of the rest of the page, some of it folded away */
  readonly others: Secrets
  readonly allRevealed: boolean
}

const uncounted = (): (() => void) => () => undefined

/** What is recorded of a secret before it is shown. */
interface SecretFacts {
  readonly kind: string
  readonly characters: number
}

/**
 * The secrets of a page about a revision of a request: the service records each before it is shown.
 */
export function useRequestSecrets(id: string, revision: number): PageSecrets {
  return useSecrets(
    useCallback(
      (revealed: SecretFacts) =>
        callApi('recordRequestReveal', { params: { id }, body: { ...revealed, revision } }),
      [id, revision],
    ),
  )
}

/** The same of a page about a run. */
export function useRunSecrets(id: string): PageSecrets {
  return useSecrets(
    useCallback((body: SecretFacts) => callApi('recordRunReveal', { params: { id }, body }), [id]),
  )
}

/**
 * None is shown at first: `record` does what has to happen before one is, and stays the same
 * function.
 */
function useSecrets(record: (revealed: SecretFacts) => Promise<unknown>): PageSecrets {
  const [revealed, setRevealed] = useState<ReadonlySet<string>>(new Set())
  const [places, setPlaces] = useState<ReadonlyMap<string, number>>(new Map())
  const drawn = useCallback((value: string) => {
    const count = (by: number) => (before: ReadonlyMap<string, number>) => {
      const chips = (before.get(value) ?? 0) + by
      const next = new Map(before)
      if (chips > 0) next.set(value, chips)
      else next.delete(value)
      return next
    }
    setPlaces(count(1))
    return () => setPlaces(count(-1))
  }, [])
  const reveal = useCallback<Secrets['reveal']>(
    async ({ value, kind }) => {
      await record({ kind, characters: value.length })
      setRevealed((before) => new Set([...before, value]))
    },
    [record],
  )
  return useMemo(() => {
    const allRevealed = [...places.keys()].every((value) => revealed.has(value))
    const counted = { revealed, drawn, reveal }
    return { counted, others: { ...counted, drawn: uncounted }, allRevealed }
  }, [revealed, places, drawn, reveal])
}

/**
 * What is in it is beside what will happen: nothing of it has to be revealed before an approval.
 */
export function UncountedSecrets({ children }: { children: React.ReactNode }) {
  const secrets = use(SecretsContext)
  const others = useMemo(() => secrets && { ...secrets, drawn: uncounted }, [secrets])
  return <SecretsContext value={others}>{children}</SecretsContext>
}

/** A part of a line: text, or what looks like a secret. */
export type LinePart =
  | { readonly text: string; readonly secret: null }
  | { readonly text: string; readonly secret: FoundSecret }

/** A line in parts that are the line when joined. */
export function partsOf(line: string): LinePart[] {
  const parts: LinePart[] = []
  let at = 0
  for (const secret of chippedSecrets(line)) {
    if (secret.start > at) parts.push({ text: line.slice(at, secret.start), secret: null })
    parts.push({ text: line.slice(secret.start, secret.end), secret })
    at = secret.end
  }
  if (at < line.length) parts.push({ text: line.slice(at), secret: null })
  return parts
}

/**
 * A value that looks like a secret: what it is and how long, until its reader has it shown in its
 * place.
 */
export function SecretChip(props: { value: string; kind: string; children: React.ReactNode }) {
  const { value, kind } = props
  const secrets = use(SecretsContext)
  const [failure, setFailure] = useState<string | null>(null)
  const drawn = secrets?.drawn
  useEffect(() => drawn?.(value), [drawn, value])
  if (secrets === null || secrets.revealed.has(value)) {
    return <span className="chip-secret-shown">{props.children}</span>
  }
  const what = `${kind}, ${value.length} characters`
  const show = (): void => {
    setFailure(null)
    secrets.reveal({ value, kind }).catch((error: unknown) => setFailure((error as Error).message))
  }
  return (
    <>
      <button
        type="button"
        className="chip chip-secret"
        onClick={show}
        title={`Looks like a secret: ${what}. Showing it is recorded.`}
      >
        {what} · show
      </button>
      {failure !== null && (
        <span role="alert" className="small">
          {' '}
          Not shown, because this could not be recorded: {failure}
        </span>
      )}
    </>
  )
}
