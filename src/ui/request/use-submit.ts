import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ApiRefusal, callApi } from '../api/call-api.ts'
import { newIdempotencyKey } from '../api/idempotency-key.ts'

export type Submission<T> =
  | { readonly state: 'idle' }
  | { readonly state: 'submitting' }
  | { readonly state: 'recorded'; readonly answer: T }
  | { readonly state: 'refused'; readonly refusal: ApiRefusal }

/** Sends what a person decided, once, and says what came of it; nothing is assumed before the answer. */
export function useSubmit<T>(path: string): {
  submission: Submission<T>
  submit: (body: object) => Promise<T | null>
  forget: () => void
} {
  const client = useQueryClient()
  const [submission, setSubmission] = useState<Submission<T>>({ state: 'idle' })
  // The same body again is the same intention: it keeps its key, and counts once.
  const last = useRef<{ text: string; key: string } | null>(null)
  const submit = async (body: object): Promise<T | null> => {
    const text = JSON.stringify(body)
    if (last.current?.text !== text) last.current = { text, key: newIdempotencyKey() }
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
  return { submission, submit, forget: () => setSubmission({ state: 'idle' }) }
}
