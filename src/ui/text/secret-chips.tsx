import { createContext, use, useCallback, useEffect, useMemo, useState } from 'react'
import { errorMessage } from '#domain/error-message.ts'
import { chippedSecrets, type FoundSecret } from '#domain/text/secrets.ts'
import { callApi } from '../api/call-api.ts'

/** A page's likely secrets, and those that the person has revealed (security.md 20). */
export interface Secrets {
  readonly revealed: ReadonlySet<string>
  /** Registers a chip with this value. Returns a function that removes it. */
  readonly register: (value: string) => () => void
  /** Records the reveal and then shows the value. Rejects if it could not be recorded. */
  readonly reveal: (secret: { readonly value: string; readonly kind: string }) => Promise<void>
}

/** With this context `VisibleLine` masks secrets; without it, it shows the text. */
export const SecretsContext = createContext<Secrets | null>(null)

export interface PageSecrets {
  /** secrets of what will happen: all must be revealed before a high-risk approval */
  readonly registry: Secrets
  /** secrets in the rest of the page, which has folded parts */
  readonly others: Secrets
  readonly allRevealed: boolean
}

const registerNothing = (): (() => void) => () => undefined

/** The facts that are recorded about a secret before it is shown. */
interface SecretFacts {
  readonly kind: string
  readonly characters: number
}

/** The secrets of the page of a request. The service records each reveal first. */
export function useRequestSecrets(id: string, revision: number): PageSecrets {
  return useSecrets(
    useCallback(
      (revealed: SecretFacts) =>
        callApi('recordRequestReveal', { params: { id }, body: { ...revealed, revision } }),
      [id, revision],
    ),
  )
}

export function useRunSecrets(id: string): PageSecrets {
  return useSecrets(
    useCallback((body: SecretFacts) => callApi('recordRunReveal', { params: { id }, body }), [id]),
  )
}

/** All are masked at first. `record` is called before one is shown, and must not change. */
function useSecrets(record: (revealed: SecretFacts) => Promise<unknown>): PageSecrets {
  const [revealed, setRevealed] = useState<ReadonlySet<string>>(new Set())
  const [places, setPlaces] = useState<ReadonlyMap<string, number>>(new Map())
  const register = useCallback((value: string) => {
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
    const registry = { revealed, register, reveal }
    return { registry, others: { ...registry, register: registerNothing }, allRevealed }
  }, [revealed, places, register, reveal])
}

/** The secrets in `children` need not be revealed before an approval. */
export function UncountedSecrets({ children }: { children: React.ReactNode }) {
  const secrets = use(SecretsContext)
  const others = useMemo(() => secrets && { ...secrets, register: registerNothing }, [secrets])
  return <SecretsContext value={others}>{children}</SecretsContext>
}

/** A part of a line: text, or a value that looks like a secret. */
interface LinePart {
  readonly text: string
  readonly secret: FoundSecret | null
}

/** Splits a line into parts. Joined, they are the line. */
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

/** A masked value: its kind and length, until the person reveals it. */
export function SecretChip(props: { value: string; kind: string; children: React.ReactNode }) {
  const { value, kind } = props
  const secrets = use(SecretsContext)
  const [failure, setFailure] = useState<string | null>(null)
  const register = secrets?.register
  useEffect(() => register?.(value), [register, value])
  if (secrets === null || secrets.revealed.has(value)) {
    return <span className="chip-secret-shown">{props.children}</span>
  }
  const what = `${kind}, ${value.length} characters`
  const show = (): void => {
    setFailure(null)
    secrets.reveal({ value, kind }).catch((error: unknown) => setFailure(errorMessage(error)))
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
