import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { DecisionBody } from '#api/schemas/requests/decisions.ts'
import { ApiRefusal, callApi } from '../../api/call-api.ts'
import { askPasskey, answerWords } from '../../passkeys/passkey-prompt.ts'

/**
 * Lets the person's passkey sign a decision, after the service has checked its digest. If the
 * prompt is closed, `problem` says so and the form stays. The same decision keeps its signature, so
 * that a repeated request counts once. `isDecidable`: the prompt is closed when the request ends or
 * changes, and when the person leaves the page.
 */
export function useSignature(
  requestId: string,
  isDecidable: boolean,
): {
  readonly signing: boolean
  readonly problem: string | null
  /** returns the body with its signature; `null`: it was not signed */
  readonly sign: (body: DecisionBody) => Promise<DecisionBody | null>
  /** discards a refused signature, so that the next attempt signs again */
  readonly forget: () => void
} {
  const client = useQueryClient()
  const [signing, setSigning] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const last = useRef<{ text: string; body: DecisionBody } | null>(null)
  const prompt = useRef<AbortController | null>(null)
  useEffect(() => {
    if (!isDecidable) return undefined
    return () => prompt.current?.abort()
  }, [isDecidable])
  const sign = async (body: DecisionBody): Promise<DecisionBody | null> => {
    const text = JSON.stringify(body)
    if (last.current?.text === text) return last.current.body
    setSigning(true)
    setProblem(null)
    prompt.current = new AbortController()
    const { signal } = prompt.current
    try {
      const params = { id: requestId }
      const { options } = await callApi('createChallenge', { params, body })
      const signedBody = { ...body, assertion: await askPasskey(options, signal) }
      last.current = { text, body: signedBody }
      return signedBody
    } catch (error) {
      if (!signal.aborted) setProblem(answerWords(error))
      // The request was decided, changed or removed meanwhile, so the page reloads it.
      if (error instanceof ApiRefusal && error.code !== 'network') {
        void client.invalidateQueries({ queryKey: ['request'] })
      }
      return null
    } finally {
      setSigning(false)
    }
  }
  const forget = useCallback(() => {
    last.current = null
  }, [])
  return { signing, problem, sign, forget }
}
