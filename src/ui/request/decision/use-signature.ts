import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import type { DecisionBody } from '#api/schemas/requests/decisions.ts'
import { ApiRefusal, callApi } from '../../api/call-api.ts'
import { askPasskey, promptWords } from '../../passkeys/passkey-prompt.ts'

/**
 * Has the person's passkey sign a decision, after the service has checked its digest. A prompt that
 * is closed loses nothing: `problem` says so, and the form stays as it is. The same decision keeps
 * its signature, so that sent twice it counts once.
 */
export function useSignature(requestId: string): {
  readonly signing: boolean
  readonly problem: string | null
  /** the body with its signature; `null`: it was not signed */
  readonly sign: (body: DecisionBody) => Promise<DecisionBody | null>
  /** what was signed was refused: the next attempt signs anew */
  readonly forget: () => void
} {
  const client = useQueryClient()
  const [signing, setSigning] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const last = useRef<{ text: string; signed: DecisionBody } | null>(null)
  const sign = async (body: DecisionBody): Promise<DecisionBody | null> => {
    const text = JSON.stringify(body)
    if (last.current?.text === text) return last.current.signed
    setSigning(true)
    setProblem(null)
    try {
      const params = { id: requestId }
      const { options } = await callApi('createChallenge', { params, body })
      const signed = { ...body, assertion: await askPasskey(options) }
      last.current = { text, signed }
      return signed
    } catch (error) {
      setProblem(promptWords(error))
      // Decided, changed or gone meanwhile: what is on the page is read anew.
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
