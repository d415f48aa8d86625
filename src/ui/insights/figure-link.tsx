import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { InsightView } from '#api/schemas/requests/insights.ts'
import { listBehind, type LinkScope, type Figure } from './insight-links.ts'

/** A figure or mark, with a link to the list that it counts if there is one. */
export function FigureLink(props: {
  scope: LinkScope
  item: InsightView
  what: Figure
  label?: string
  className?: string
  children: ReactNode
}) {
  const { label, className, children } = props
  const to = listBehind(props.scope, props.item, props.what)
  if (to === null) return children
  return (
    <Link to={to} {...(label !== undefined && { 'aria-label': label })} className={className}>
      {children}
    </Link>
  )
}
