import { Skeleton } from '@mantine/core'
import { useEffect, useState } from 'react'

/**
 * Grey lines in place of what is being fetched; only after 150 ms, so that quick answers do not
 * flicker.
 */
export function Loading({ what, lines }: { what: string; lines: number }) {
  const [visible, setVisible] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setVisible(true), 150)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div aria-busy="true" className="column">
      <span className="visually-hidden" role="status">
        {visible ? `Loading ${what}` : ''}
      </span>
      {visible &&
        Array.from({ length: lines }, (_, index) => (
          <Skeleton key={index} height={index === 0 ? 28 : 44} radius="md" />
        ))}
    </div>
  )
}
