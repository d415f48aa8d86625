import { useRef, useState } from 'react'
import { errorMessage } from '#domain/error-message.ts'

/**
 * For a control that sends something: `attempt` runs the work, and resolves to whether it
 * succeeded; `busy` while it runs, when a second attempt does nothing; `refusal`: the sentence of
 * the last one that failed.
 */
export function useAttempt() {
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const isBusy = useRef(false)
  const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    // A second click can come before the page draws that it is busy.
    if (isBusy.current) return false
    isBusy.current = true
    setBusy(true)
    setRefusal(null)
    try {
      await work()
      return true
    } catch (error) {
      setRefusal(errorMessage(error))
      return false
    } finally {
      isBusy.current = false
      setBusy(false)
    }
  }
  return { attempt, busy, refusal }
}
