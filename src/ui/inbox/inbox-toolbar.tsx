import { Button, NativeSelect, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { currentSearch } from '../shell/current-search.ts'
import { later } from '../states/later.tsx'
import { focusHeadline } from '../states/lead-to.ts'
import {
  filterControls,
  isNarrowed,
  viewQueryOf,
  withFilter,
  withoutFilters,
  type FilterName,
} from './inbox-filters.ts'
import { verbs } from '../words/verbs.ts'

const SaveView = later(
  () => import('../views/save-view.tsx').then((module) => module.SaveView),
  () => (
    <Button variant="default" disabled>
      Save view
    </Button>
  ),
)

/**
 * The filters and the order of the list, which are in the address. `isNarrow`: only the search
 * field, because state, risk and order are set on the page of the list. `takesFocus`: the search
 * field has the focus at first.
 */
export function InboxToolbar(props: { isNarrow: boolean; takesFocus: boolean }) {
  const { isNarrow, takesFocus } = props
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(search.get('q') ?? '')
  const inUrl = search.get('q') ?? ''
  useEffect(() => setText(inUrl), [inUrl])
  useShortcut('filter', () => input.current?.focus())
  useLayoutEffect(() => {
    if (takesFocus) input.current?.focus()
  }, [takesFocus])
  const keys = useAriaKeys('filter')
  const set = (name: FilterName, value: string): void =>
    void navigate(withFilter(currentSearch(), name, value, pathname), { replace: true })
  return (
    <search className="toolbar">
      <form
        className="grow"
        onSubmit={(event) => {
          event.preventDefault()
          set('q', text.trim())
        }}
      >
        <TextInput
          ref={input}
          type="search"
          aria-label="Filter by words in the title or the tool"
          placeholder="Filter by words"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && text === '') focusHeadline()
          }}
          onBlur={() => text.trim() !== inUrl && set('q', text.trim())}
          {...keys}
        />
      </form>
      {!isNarrow && <Selects search={search} set={set} />}
      {(isNarrowed(search) || search.has('sort')) && (
        <SaveView page="inbox" query={viewQueryOf(search)} label="Save view" />
      )}
      {isNarrowed(search) && (
        <Button
          variant="default"
          onClick={() => void navigate(withoutFilters(currentSearch(), pathname))}
        >
          {verbs.clearFilters}
        </Button>
      )}
    </search>
  )
}

function Selects(props: {
  search: URLSearchParams
  set: (name: FilterName, value: string) => void
}) {
  const { search, set } = props
  return (
    <>
      {search.get('mine') !== 'true' && (
        <NativeSelect
          aria-label="State"
          data={filterControls.state}
          value={search.get('state') ?? ''}
          onChange={(event) => set('state', event.currentTarget.value)}
        />
      )}
      <NativeSelect
        aria-label="Risk"
        data={filterControls.risk}
        value={search.get('risk') ?? ''}
        onChange={(event) => set('risk', event.currentTarget.value)}
      />
      <NativeSelect
        aria-label="Order"
        data={filterControls.sort}
        value={search.get('sort') ?? ''}
        onChange={(event) => set('sort', event.currentTarget.value)}
      />
    </>
  )
}
