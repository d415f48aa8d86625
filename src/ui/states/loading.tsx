import { Skeleton } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import './loading.css'

/** Placeholders for data that is loading, in the shape of the data. */
interface LoadingProps {
  /** the text for screen readers: “Loading the runs” */
  readonly what: string
}

/** Grey lines while data loads, after 150 ms, so that fast answers do not flicker. */
export function Loading({ what, lines }: LoadingProps & { lines: number }) {
  return (
    <Busy what={what}>
      {Array.from({ length: lines }, (_, index) => (
        <Skeleton key={index} height={index === 0 ? 28 : 44} maw="44rem" radius="md" />
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
 * How a page arranges its cards:
 * - `beside`: below a headline, a wide card with another one beside it;
 * - `pairs`: pairs;
 * - `tiles`: as many small cards as fit, above a wide one;
 * - `table`: a table, above a wide card with another one beside it;
 * - `list`: a narrow list beside wide cards.
 */
export type CardLayout = 'beside' | 'pairs' | 'tiles' | 'table' | 'list'

/** Placeholders for a page of cards, in the columns that its cards will have. */
export function LoadingCards({ what, layout }: LoadingProps & { layout: CardLayout }) {
  return (
    <Busy what={what}>
      <CardsOf layout={layout} />
    </Busy>
  )
}

function CardsOf({ layout }: { layout: CardLayout }) {
  switch (layout) {
    case 'pairs':
      return (
        <div className="loading-pairs">
          {[7, 7, 10, 10].map((rem, index) => (
            <PlaceOfCard key={index} rem={rem} />
          ))}
        </div>
      )
    case 'tiles':
      return (
        <>
          <div className="loading-tiles">
            {[1, 2, 3].map((key) => (
              <PlaceOfCard key={key} rem={5} />
            ))}
          </div>
          <PlaceOfCard rem={8} />
        </>
      )
    case 'table':
      return (
        <>
          <Skeleton height={26} width="6rem" />
          <PlaceOfCard rem={5} />
          <div className="loading-cards loading-cards-form">
            <div className="column">
              <PlaceOfCard rem={4} />
              <PlaceOfCard rem={8} />
            </div>
            <Buttons />
          </div>
        </>
      )
    case 'list':
      return (
        <div className="loading-list">
          <PlaceOfCard rem={6} />
          <div className="column">
            <Skeleton height={26} width="45%" />
            <PlaceOfCard rem={3} />
            <PlaceOfCard rem={12} />
          </div>
        </div>
      )
    case 'beside':
      return (
        <>
          <Skeleton height={20} width="11rem" />
          <div className="loading-cards">
            <div className="column">
              <Skeleton height={26} width="65%" />
              <Skeleton height={14} width="45%" />
              <PlaceOfCard rem={12} />
              <PlaceOfCard rem={6} />
            </div>
            <Buttons />
          </div>
        </>
      )
  }
}

function PlaceOfCard({ rem }: { rem: number }) {
  return (
    <div className="card column">
      <Skeleton height={18} width="9rem" />
      <Skeleton height={`${rem}rem`} />
    </div>
  )
}

function Buttons() {
  return (
    <div className="card column">
      <Skeleton height={18} width="6rem" />
      {[1, 2, 3].map((key) => (
        <Skeleton key={key} height={44} />
      ))}
    </div>
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
