import { Skeleton } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import './loading.css'

/** Placeholders for data that is loading, in the shape of the data. */
interface LoadingProps {
  /** the text for screen readers: “Loading the runs” */
  readonly what: string
}

/**
 * Grey lines while data is loading. They appear after 150 ms, so that fast answers do not flicker.
 */
export function Loading({ what, lines }: LoadingProps & { lines: number }) {
  return (
    <Busy what={what}>
      {Array.from({ length: lines }, (_, index) => (
        <Skeleton key={index} height={index === 0 ? 28 : 44} radius="md" />
      ))}
    </Busy>
  )
}

/** Placeholders for the rows of a list that fill a screen. */
export function LoadingRows({ what }: LoadingProps) {
  return (
    <Busy what={what}>
      <div className="loading-rows">
        {Array.from({ length: 8 }, (_, index) => (
          <div key={index}>
            <Skeleton height={14} width={`${70 - ((index * 13) % 32)}%`} />
            <Skeleton height={12} width="5rem" />
          </div>
        ))}
      </div>
    </Busy>
  )
}

/**
 * Placeholders for a page with a headline, cards below it, and a card beside them on wide screens.
 */
export function LoadingCards({ what }: LoadingProps) {
  return (
    <Busy what={what}>
      <Skeleton height={20} width="11rem" />
      <div className="loading-cards">
        <div className="column">
          <Skeleton height={26} width="65%" />
          <Skeleton height={14} width="45%" />
          {[12, 6].map((rem) => (
            <div key={rem} className="card column">
              <Skeleton height={18} width="9rem" />
              <Skeleton height={`${rem}rem`} />
            </div>
          ))}
        </div>
        <div className="card column">
          <Skeleton height={18} width="6rem" />
          {[1, 2, 3].map((key) => (
            <Skeleton key={key} height={44} />
          ))}
        </div>
      </div>
    </Busy>
  )
}

function Busy({ what, children }: LoadingProps & { children: ReactNode }) {
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
      {visible && children}
    </div>
  )
}
