import { useEffect, useState } from 'react'

/** After this long without a start, the page says what the decision waits for. */
const overdueAfterMs = 6_000

/** Whether a call has been the next to start for longer than a start takes. */
export function useOverdue(isNext: boolean): boolean {
  const [isOverdue, setOverdue] = useState(false)
  useEffect(() => {
    setOverdue(false)
    if (!isNext) return
    const timer = setTimeout(() => setOverdue(true), overdueAfterMs)
    return () => clearTimeout(timer)
  }, [isNext])
  return isOverdue
}
