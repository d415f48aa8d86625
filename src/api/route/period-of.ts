/** The period of a query, as the services take it: from a time on, until before another. */
export function periodOf(query: {
  readonly from?: string | undefined
  readonly to?: string | undefined
}): { from?: Date; to?: Date } {
  const { from, to } = query
  return {
    ...(from === undefined ? {} : { from: new Date(from) }),
    ...(to === undefined ? {} : { to: new Date(to) }),
  }
}
