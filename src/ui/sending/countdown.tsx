import { useEffect, useState } from 'react'

/** "Sending in 4 s", announced once, so that a screen reader does not repeat it. */
export function Countdown({ sendAtMs }: { sendAtMs: number }) {
  const [nowMs, setNowMs] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  return <>Sending in {Math.max(0, Math.ceil((sendAtMs - nowMs) / 1_000))} s</>
}
