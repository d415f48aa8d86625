import { useState } from 'react'
import { errorMessage } from '#domain/error-message.ts'
import { useOneAtATime } from './use-act.ts'

/**
 * For a control that sends something: `attempt` runs the work, and resolves to whether it
 * succeeded; `busy` while it runs, when a second attempt does nothing; `refusal`: the sentence of
 * the newest attempt, if it failed.
 */
export function useAttempt() {
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  // A second click can come before the page draws that it is busy.
  const attempt = useOneAtATime(async (work: () => Promise<unknown>) => {
    setBusy(true)
    setRefusal(null)
    try {
      await work()
      return true
    } catch (error) {
      setRefusal(errorMessage(error))
      return false
    } finally {
      setBusy(false)
    }
  })
  return { attempt, busy, refusal }
}
