import type { ReactNode } from 'react'
import { VisibleText } from '../text/visible-text.tsx'

/**
 * The text of the model beside the call: quoted, labelled as its claim, without links or images.
 * `children`: a link to more.
 */
export function AgentStatement(props: { text: string | null; children?: ReactNode }) {
  const { text } = props
  return (
    <section className="card" aria-labelledby="statement-title">
      <h2 id="statement-title">The agent's statement</h2>
      {text === null || text.trim() === '' ? (
        <p className="dim">The agent gave no reason.</p>
      ) : (
        <>
          <p className="small dim claim-label">The model's own words. Nobody has checked them.</p>
          <blockquote className="statement">
            <VisibleText text={text} isProse />
          </blockquote>
        </>
      )}
      {props.children}
    </section>
  )
}
