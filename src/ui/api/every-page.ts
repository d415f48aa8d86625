import { callApi } from './call-api.ts'

/** A list that is shown whole: all its pages as one, each of the largest size. */
export async function everyPage<T extends { items: unknown[]; nextCursor: string | null }>(
  path: string,
  signal: AbortSignal,
): Promise<T> {
  const page = `${path}${path.includes('?') ? '&' : '?'}limit=200`
  const whole = await callApi<T>(page, { signal })
  for (let next = whole.nextCursor; next !== null;) {
    const cursor = encodeURIComponent(next)
    const more = await callApi<T>(`${page}&cursor=${cursor}`, { signal })
    whole.items.push(...more.items)
    next = more.nextCursor
  }
  return { ...whole, nextCursor: null }
}
