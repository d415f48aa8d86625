import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { byCursor, refetchAfterEvent } from './queries.ts'

afterEach(() => vi.useRealTimers())

/** What a page shows of a state of the service, whose answers take `answerMs`. */
function watchSlowly(answerMs: number) {
  vi.useFakeTimers()
  const client = new QueryClient()
  const service = { state: 'pending' }
  const shown: string[] = []
  const observer = new QueryObserver(client, {
    queryKey: ['request', '1'],
    queryFn: async () => {
      const read = service.state
      await new Promise((resolve) => setTimeout(resolve, answerMs))
      return read
    },
  })
  const end = observer.subscribe(({ data }) => {
    if (data !== undefined && shown.at(-1) !== data) shown.push(data)
  })
  const change = (
    state: string,
    event: Parameters<typeof refetchAfterEvent>[1] = { requestId: '1' },
  ): void => {
    service.state = state
    refetchAfterEvent(client, event)
  }
  return { shown, change, end }
}

test.each([{ requestId: '1' }, 'everything'] as const)(
  'an answer that was read before an event is loaded again after it, also the first of a page: %o',
  async (event) => {
    const { shown, change, end } = watchSlowly(3_000)
    await vi.advanceTimersByTimeAsync(1_000)
    change('denied', event)
    await vi.advanceTimersByTimeAsync(6_000)
    expect(shown).toEqual(['pending', 'denied'])
    end()
  },
)

test('events that come faster than the service answers do not keep its answers from the page', async () => {
  const { shown, change, end } = watchSlowly(3_000)
  await vi.advanceTimersByTimeAsync(3_000)
  for (let second = 1; second <= 10; second += 1) {
    change(`event ${second}`)
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(shown.slice(0, 4)).toEqual(['pending', 'event 1', 'event 3', 'event 6'])
  await vi.advanceTimersByTimeAsync(6_000)
  expect(shown.at(-1)).toBe('event 10')
  end()
})

test.each([0, 1])(
  'the next page of a list that events reload is loaded at once, and the reload is made after it, with %i more events',
  async (later) => {
    vi.useFakeTimers()
    const client = new QueryClient()
    const service = { first: 'pending' }
    const observer = new InfiniteQueryObserver(client, {
      queryKey: ['requests'],
      queryFn: async ({ pageParam }) => {
        const item = pageParam === '' ? service.first : 'of the next page'
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        return { item, nextCursor: pageParam === '' ? 'next' : null }
      },
      ...byCursor,
    })
    const end = observer.subscribe(() => undefined)
    const shown = () => observer.getCurrentResult().data?.pages.map(({ item }) => item)
    await vi.advanceTimersByTimeAsync(1_000)
    // As React calls it: from what was drawn before the events.
    const { fetchNextPage } = observer.getCurrentResult()
    for (const state of ['approved', 'denied']) {
      service.first = state
      refetchAfterEvent(client, { requestId: '1' })
      await vi.advanceTimersByTimeAsync(300)
    }
    void fetchNextPage()
    await vi.advanceTimersByTimeAsync(500)
    if (later > 0) refetchAfterEvent(client, { requestId: '2' })
    await vi.advanceTimersByTimeAsync(500)
    expect(shown()).toEqual(['pending', 'of the next page'])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(shown()).toEqual(['denied', 'of the next page'])
    end()
  },
)
