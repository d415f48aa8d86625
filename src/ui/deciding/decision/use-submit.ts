import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { ApiRefusal } from '../../api/call-api.ts'
import { useIntentKey } from '../../api/use-intent-key.ts'

export type Submission<T> =
  | { readonly state: 'idle' }
  | { readonly state: 'submitting' }
  | { readonly state: 'recorded'; readonly answer: T }
  | { readonly state: 'refused'; readonly refusal: ApiRefusal }

/**
 * Options of a submission: its idempotency key, and how long its answer may wait for a later stage.
 */
export interface SubmitOptions {
  readonly idempotencyKey: string
  readonly preferWaitSeconds: number
}

/**
 * Sends a decision once, and shows its result; nothing is assumed before the answer. `loadStage`
 * repeats a recorded decision, which counts once, to get its current stage. `send` stays the same
 * function for the same request.
 */
export function useSubmit<Body extends object, T>(
  send: (body: Body, sending: SubmitOptions) => Promise<T>,
): {
  submission: Submission<T>
  submit: (body: Body) => Promise<T | null>
  loadStage: () => Promise<void>
  forget: () => void
} {
  const client = useQueryClient()
  const [submission, setSubmission] = useState<Submission<T>>({ state: 'idle' })
  const intent = useIntentKey()
  const last = useRef<Body | null>(null)
  const submit = async (body: Body): Promise<T | null> => {
    last.current = body
    setSubmission({ state: 'submitting' })
    try {
      const idempotencyKey = intent.of(body)
      const answer = await send(body, { idempotencyKey, preferWaitSeconds: 2 })
      setSubmission({ state: 'recorded', answer })
      // Reloads the request first, and then the other queries.
      void client.invalidateQueries({ queryKey: ['request'] })
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'request' })
      return answer
    } catch (error) {
      if (!(error instanceof ApiRefusal)) throw error
      setSubmission({ state: 'refused', refusal: error })
      if (error.code !== 'network') void client.invalidateQueries({ queryKey: ['request'] })
      return null
    }
  }
  const loadStage = useCallback(async (): Promise<void> => {
    const body = last.current
    if (body === null) return
    try {
      const idempotencyKey = intent.of(body)
      const answer = await send(body, { idempotencyKey, preferWaitSeconds: 1 })
      setSubmission({ state: 'recorded', answer })
    } catch (error) {
      // The decision stays recorded; only its newest stage is not known.
      if (!(error instanceof ApiRefusal)) throw error
    }
  }, [intent, send])
  return { submission, submit, loadStage, forget: () => setSubmission({ state: 'idle' }) }
}
