import { useState } from 'react'
import { errorMessage } from '#domain/error-message.ts'
import { announce } from '../../states/announce.tsx'
import { useReloadComments } from './commented-request.ts'

/** Changes comments, and announces `message`. Resolves to whether it succeeded. */
export type CommentAct = (work: () => Promise<unknown>, message?: string) => Promise<boolean>

/** A `CommentAct` that reloads the comments afterwards, and the sentence of a refusal. */
export function useCommentAct(): { act: CommentAct; busy: boolean; refusal: string | null } {
  const reloadComments = useReloadComments()
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const act: CommentAct = async (work, message) => {
    setBusy(true)
    setRefusal(null)
    try {
      await work()
      if (message !== undefined) announce(message)
      await reloadComments()
      return true
    } catch (error) {
      setRefusal(errorMessage(error))
      return false
    } finally {
      setBusy(false)
    }
  }
  return { act, busy, refusal }
}
