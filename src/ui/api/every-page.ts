import { callApi } from './call-api.ts'

/** A list that is shown whole: all its pages as one, each of the largest size. */
export async function everyPage<T extends { items: unknown[]; nextCursor: string | null }>(
  path: string,
  signal: AbortSignal,
): Promise<T> {
  const whole = await callApi<T>(`${path}?limit=200`, { signal })
  for (let next = whole.nextCursor; next !== null;) {
    const cursor = encodeURIComponent(next)
    const page = await callApi<T>(`${path}?limit=200&cursor=${cursor}`, { signal })
    whole.items.push(...page.items)
    next = page.nextCursor
  }
  return { ...whole, nextCursor: null }
}
