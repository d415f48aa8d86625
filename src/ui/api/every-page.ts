/** Reads all pages of a list as one, each of the largest size. */
export async function everyPage<T extends { items: unknown[]; nextCursor: string | null }>(
  read: (page: { readonly limit: number; readonly cursor?: string }) => Promise<T>,
): Promise<T> {
  const limit = 200
  const list = await read({ limit })
  for (let next = list.nextCursor; next !== null;) {
    const more = await read({ limit, cursor: next })
    list.items.push(...more.items)
    next = more.nextCursor
  }
  return { ...list, nextCursor: null }
}
