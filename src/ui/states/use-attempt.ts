import { useState } from 'react'
import { errorMessage } from '#domain/error-message.ts'

/**
 * For a control that sends something: `attempt` runs the work, and resolves to whether it
 * succeeded; `busy` while it runs; `refusal`: the sentence of the last one that failed.
 */
export function useAttempt() {
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
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
  }
  return { attempt, busy, refusal }
}
