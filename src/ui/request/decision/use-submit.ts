import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { ApiRefusal, callApi } from '../../api/call-api.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'

export type Submission<T> =
  | { readonly state: 'idle' }
  | { readonly state: 'submitting' }
  | { readonly state: 'recorded'; readonly answer: T }
  | { readonly state: 'refused'; readonly refusal: ApiRefusal }

/**
 * Sends what a person decided, once, and says what came of it; nothing is assumed before the answer.
 * `again` repeats what was recorded, which counts once, for the answer of by now.
 */
export function useSubmit<T>(path: string): {
  submission: Submission<T>
  submit: (body: object) => Promise<T | null>
  again: () => Promise<void>
  forget: () => void
} {
  const client = useQueryClient()
  const [submission, setSubmission] = useState<Submission<T>>({ state: 'idle' })
  // The same body again is the same intention: it keeps its key, and counts once.
  const last = useRef<{ text: string; body: object; key: string } | null>(null)
  const submit = async (body: object): Promise<T | null> => {
    const text = JSON.stringify(body)
    if (last.current?.text !== text) last.current = { text, body, key: newIdempotencyKey() }
    setSubmission({ state: 'submitting' })
    try {
      const answer = await callApi<T>(path, {
        body,
        idempotencyKey: last.current.key,
        preferWaitSeconds: 2,
      })
      setSubmission({ state: 'recorded', answer })
      void client.invalidateQueries()
      return answer
    } catch (error) {
      if (!(error instanceof ApiRefusal)) throw error
      setSubmission({ state: 'refused', refusal: error })
      if (error.code !== 'network') void client.invalidateQueries({ queryKey: ['request'] })
      return null
    }
  }
  const again = useCallback(async (): Promise<void> => {
    if (last.current === null) return
    const { body, key } = last.current
    try {
      const answer = await callApi<T>(path, { body, idempotencyKey: key, preferWaitSeconds: 1 })
      setSubmission({ state: 'recorded', answer })
    } catch (error) {
      // What was recorded stays recorded; there is only nothing newer to say of it.
      if (!(error instanceof ApiRefusal)) throw error
    }
  }, [path])
  return { submission, submit, again, forget: () => setSubmission({ state: 'idle' }) }
}
