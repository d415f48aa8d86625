import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { callApi } from '../api/call-api.ts'
import { useMe } from '../api/queries.ts'
import { SnoozeMenu } from '../deciding/triage/later-snooze-menu.ts'
import { useShortcut } from '../keyboard/keyboard-provider.tsx'
import { useAct } from '../states/use-act.ts'
import { copyText } from '../text/copy-text.ts'
import { addressOf } from './inbox-filters.ts'

/**
 * The keys of a request for the focused row, while no request is open: C claims, H snoozes, T opens
 * the change set of its turn, M opens the request at its comments, Y copies its link, or without a
 * focused row the address. Returns the request whose snooze menu is open.
 */
export function useRowActs(
  isCardOpen: boolean,
  search: URLSearchParams,
  focusedItem: () => RequestItem | null,
): { readonly snoozing: string | null; readonly setSnoozing: (id: string | null) => void } {
  const me = useMe()
  const navigate = useNavigate()
  const act = useAct(['requests'])
  const [snoozing, setSnoozing] = useState<string | null>(null)
  // Loads the menu's script early, so that the menu gets a digit that follows the key.
  useEffect(() => void SnoozeMenu.fetch().catch(() => undefined), [])
  const on = (work: (item: RequestItem) => void): (() => void) | null => {
    if (isCardOpen) return null
    return () => {
      const item = focusedItem()
      if (item !== null) work(item)
    }
  }
  useShortcut(
    'claim',
    on((item) => {
      if (item.state !== 'pending') return
      const isMine = item.claim?.person.id === me.person.id
      const operation = isMine ? 'releaseRequest' : 'claimRequest'
      const message = `${isMine ? 'Released' : 'Claimed'} #${item.number}`
      void act(() => callApi(operation, { params: { id: item.id } }), message)
    }),
  )
  useShortcut(
    'snooze',
    on((item) => {
      if (item.state === 'pending' && item.eligibility.canDecide) setSnoozing(item.id)
    }),
  )
  useShortcut(
    'comment',
    on(({ number }) => void navigate(`${addressOf(search, `/requests/${number}`)}#comments-title`)),
  )
  useShortcut(
    'turn',
    on(({ runId, turn, batch }) => {
      if (batch !== null && batch.size > 1) void navigate(`/runs/${runId}/turns/${turn}`)
    }),
  )
  useShortcut(
    'copyLink',
    isCardOpen
      ? null
      : () => {
          const item = focusedItem()
          const { href, origin } = window.location
          const ofRow = item && origin + addressOf(search, `/requests/${item.number}`)
          void copyText(ofRow ?? href, 'Link')
        },
  )
  return { snoozing, setSnoozing }
}
