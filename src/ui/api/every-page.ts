/** Reads all pages of a list, each of the largest size, and joins their items. */
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
