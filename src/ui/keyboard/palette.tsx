import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  type SpotlightStore,
} from '@mantine/spotlight'
import { useDebouncedValue } from '@mantine/hooks'
import {
  IconChevronRight,
  IconFile,
  IconListDetails,
  IconPlayerPlay,
  IconRobot,
  IconScale,
  IconSignature,
  IconUser,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import type { SearchItemView } from '#api/schemas/operation/search.ts'
import type { SavedViewPage } from '#domain/saved-view.ts'
import type { SearchType } from '#domain/search.ts'
import { savedViewsQuery, useQueues, useSearch } from '../api/queries.ts'
import { visibleString } from '../text/visible-string.ts'
import { useKeyboard } from './keyboard-provider.tsx'
import { takeLetters } from './opening-letters.ts'
import { commandKeys, commandLabel, type CommandId } from './commands.ts'
import { platform } from './platform.ts'
import '@mantine/spotlight/styles.css'
import './palette.css'

const faces: Readonly<
  Record<SearchType, { readonly word: string; readonly Icon: typeof IconFile }>
> = {
  request: { word: 'Requests', Icon: IconSignature },
  run: { word: 'Runs', Icon: IconPlayerPlay },
  person: { word: 'People', Icon: IconUser },
  worker: { word: 'Workers', Icon: IconRobot },
  file: { word: 'Files', Icon: IconFile },
  rule: { word: 'Rules', Icon: IconScale },
}
const pathOf: Readonly<Record<SavedViewPage, string>> = { inbox: '/', audit: '/audit' }
/** The pause in typing after which the service is searched. */
const typingMs = 120

/**
 * The palette under Ctrl or Cmd and K: what the service finds (`GET /v1/search`), and the commands
 * of the page from the keyboard's registry.
 */
export function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const { commandsNow, run } = useKeyboard()
  const [[store, actions]] = useState(createSpotlight)
  const [commands] = useState(commandsNow)
  const [query, setQuery] = useState('')
  const [q] = useDebouncedValue(query.trim(), typingMs)
  const search = useSearch(q)
  const lists = useLists().filter(({ label }) => hasWords(label, query))
  const [focusedBefore] = useState(() => document.activeElement)
  const choice = useRef<CommandId | null>(null)
  useEffect(() => actions.open(), [actions])

  const matches = commands
    .filter((id) => id !== 'palette' && hasWords(commandLabel(id), query))
    .map((id) => ({
      id,
      label: commandLabel(id),
      rightSection: <kbd>{commandKeys(id, platform)}</kbd>,
      leftSection: <IconChevronRight size={18} aria-hidden />,
      // The command runs after the palette has closed, because it may set the focus on the page.
      onClick: () => (choice.current = id),
    }))
  // Until the service has answered, what it found for other words stays only if it has these.
  const isOlder = search.isPlaceholderData || q !== query.trim()
  const hits = (q === '' ? [] : (search.data?.items ?? [])).filter(
    (item) => !isOlder || hasWords(`${labelOf(item)} ${item.detail}`, query),
  )
  const groups = [...Map.groupBy(hits, ({ type }) => type)].map(([type, items]) => ({
    group: faces[type].word,
    actions: items.map((item) => searchAction(item, () => void navigate(item.url))),
  }))
  const listItems = lists.map(({ label, url }) => ({
    id: url,
    label,
    leftSection: <IconListDetails size={18} aria-hidden />,
    onClick: () => void navigate(url),
  }))
  const ids = [...groups.flatMap(({ actions: of }) => of), ...listItems, ...matches].map(
    ({ id }) => id,
  )
  useSelectedEntry(store, query.trim() === '' ? '' : ids.join('\n'))
  return (
    <Spotlight
      store={store}
      actions={[
        ...groups,
        ...(listItems.length > 0 ? [{ group: 'Lists', actions: listItems }] : []),
        ...(matches.length > 0 ? [{ group: 'Commands', actions: matches }] : []),
      ]}
      // The service and the code above have already filtered the entries.
      filter={(_, all) => all}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      scrollable
      maxHeight={420}
      lockScroll={false}
      // The field keeps its place while the results below it become more or fewer.
      centered={false}
      attributes={{ content: { 'aria-label': 'Search or run a command' } }}
      nothingFound={wordsForNothing(search, q)}
      searchProps={{
        placeholder: 'Search or run a command',
        'aria-label': 'Search requests, runs, people, workers, files and rules',
        onFocus: () => setQuery((before) => before + takeLetters()),
      }}
      overlayProps={{ blur: 0, opacity: 0.4 }}
      onExitTransitionEnd={() => {
        // The command acts on the row that had the focus before, and may move the focus itself.
        if (focusedBefore instanceof HTMLElement) focusedBefore.focus({ preventScroll: true })
        if (choice.current !== null) run(choice.current)
        onClose()
      }}
    />
  )
}

function hasWords(label: string, query: string): boolean {
  return label.toLowerCase().includes(query.trim().toLowerCase())
}

/** Queues, and the person's saved views of every page. */
function useLists(): readonly { readonly label: string; readonly url: string }[] {
  const queues = useQueues().data?.items ?? []
  const views = useQuery(savedViewsQuery).data?.items ?? []
  return [
    ...views.map(({ page, name, query }) => ({
      label: `${visibleString(name)} (your view)`,
      url: `${pathOf[page]}?${query}`,
    })),
    ...queues.map(({ name }) => ({
      label: `Queue ${name}`,
      url: `/?${new URLSearchParams({ queue: name }).toString()}`,
    })),
  ]
}

function searchAction(item: SearchItemView, onClick: () => void): SpotlightActionData {
  const { type, id, detail } = item
  const { Icon } = faces[type]
  return {
    id: `${type} ${id}`,
    label: labelOf(item),
    description: visibleString(detail),
    leftSection: <Icon size={18} aria-hidden />,
    onClick,
  }
}

function labelOf({ number, title }: SearchItemView): string {
  return `${number === undefined ? '' : `#${number} `}${visibleString(title)}`
}

function wordsForNothing(search: ReturnType<typeof useSearch>, q: string): string {
  if (search.isError) return `The search failed: ${search.error.message}`
  return q !== '' && search.isFetching
    ? 'Searching…'
    : 'Nothing found. Requests, runs, people, workers, files and rules are searched.'
}

/**
 * While the results of a search arrive, keeps the selected entry or else selects the first one, so
 * that Enter opens what is highlighted. The library selects an entry only when the query changes,
 * before the service has answered. `entries` identifies the entries; `""`: nothing is selected.
 */
function useSelectedEntry(store: SpotlightStore, entries: string): void {
  useEffect(() => {
    if (entries === '') return
    const list = document.getElementById(store.getState().listId)
    const all = [...(list?.querySelectorAll('[data-action]') ?? [])]
    const index = Math.max(
      0,
      all.findIndex((entry) => 'selected' in (entry as HTMLElement).dataset),
    )
    all[index]?.setAttribute('data-selected', 'true')
    store.updateState((state) => ({ ...state, selected: index }))
  }, [store, entries])
}
