import { Spotlight, type SpotlightActionData } from '@mantine/spotlight'
import {
  IconFile,
  IconPlayerPlay,
  IconPlus,
  IconRoute,
  IconShieldCheck,
  IconInbox,
} from '@tabler/icons-react'
import { useQueryClient, type InfiniteData } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import type { RequestList } from '#api/schemas/requests/requests.ts'
import { keysOf } from './shortcuts.ts'
import { createSpotlight } from '@mantine/spotlight'
import '@mantine/spotlight/styles.css'

const pages = [
  { id: 'goInbox', label: 'Inbox', to: '/', Icon: IconInbox },
  { id: 'goRuns', label: 'Runs', to: '/runs', Icon: IconPlayerPlay },
  { id: 'goAudit', label: 'Audit', to: '/audit', Icon: IconRoute },
  { id: 'goPolicy', label: 'Policy', to: '/policy', Icon: IconShieldCheck },
] as const

/** The palette under Ctrl or Cmd and K: pages, and every request that a list has loaded. */
export function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const [[store, actions]] = useState(createSpotlight)
  useEffect(() => actions.open(), [actions])

  const lists = client.getQueriesData<InfiniteData<RequestList>>({ queryKey: ['requests'] })
  const requests = new Map(
    lists.flatMap(([, data]) =>
      (data?.pages ?? []).flatMap((page) => page.items.map((item) => [item.id, item] as const)),
    ),
  )
  const entries: SpotlightActionData[] = [
    ...pages.map(({ id, label, to, Icon }) => ({
      id,
      label: `Go to ${label}`,
      description: keysOf(id).join(' then '),
      leftSection: <Icon size={18} aria-hidden />,
      onClick: () => void navigate(to),
    })),
    {
      id: 'newRun',
      label: 'New run',
      description: keysOf('newRun').join(' then '),
      leftSection: <IconPlus size={18} aria-hidden />,
      onClick: () => void navigate('/runs/new'),
    },
    ...[...requests.values()].map((item) => ({
      id: item.id,
      label: `#${item.number} ${item.title}`,
      description: `${item.risk} risk, ${item.tool}, ${item.worker ?? 'another program'}, ${item.state}`,
      leftSection: <IconFile size={18} aria-hidden />,
      onClick: () => void navigate(`/requests/${item.number}`),
    })),
  ]
  return (
    <Spotlight
      store={store}
      actions={entries}
      shortcut={null}
      limit={12}
      scrollable
      maxHeight={420}
      lockScroll={false}
      attributes={{ content: { 'aria-label': 'Search or run a command' } }}
      nothingFound="Nothing that is called so"
      searchProps={{
        placeholder: 'Search requests and pages',
        'aria-label': 'Search requests and pages',
      }}
      onSpotlightClose={onClose}
    />
  )
}
