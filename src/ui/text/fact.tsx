import type { ReactNode } from 'react'

/** One row of a list of facts. */
export function Fact(props: { name: string; className?: string; children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{props.name}</dt>
      <dd className={props.className}>{props.children}</dd>
    </div>
  )
}
