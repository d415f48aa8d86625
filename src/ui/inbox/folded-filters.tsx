import { useId, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useShortcut } from '../keyboard/keyboard-provider.tsx'
import { FiltersButton } from '../states/filters-button.tsx'
import { isNarrowed } from './inbox-filters.ts'
import { InboxToolbar } from './inbox-toolbar.tsx'
import { QueueList, QueueSelect } from './queue-list.tsx'

/**
 * The lists and filters on one line for phones, so that the rows begin near the top. The filters
 * that are set and the saved views unfold below.
 */
export function FoldedFilters() {
  const [search] = useSearchParams()
  const [unfolded, setUnfolded] = useState<'by hand' | 'by key' | null>(null)
  const id = useId()
  const isSet = isNarrowed(search) || search.has('sort')
  // Once unfolded, the toolbar handles the key.
  useShortcut('filter', unfolded === null ? () => setUnfolded('by key') : null)
  return (
    <>
      <div className="folded-filters">
        <QueueSelect />
        <FiltersButton
          isSet={isSet}
          isUnfolded={unfolded !== null}
          controls={id}
          onToggle={() => setUnfolded(unfolded === null ? 'by hand' : null)}
        />
      </div>
      <div id={id}>
        {unfolded !== null && (
          <>
            <QueueList />
            <InboxToolbar isNarrow={false} takesFocus={unfolded === 'by key'} />
          </>
        )}
      </div>
    </>
  )
}
