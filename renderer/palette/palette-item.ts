/** A row of the palette. */
import type { WindowVerb } from '../../shared/contract';
import type { Route } from '../route';

export type PaletteGroup =
  | 'recent'
  | 'pages'
  | 'decisions'
  | 'turns'
  | 'commands'
  | 'sessions'
  | 'tasks'
  | 'agents'
  | 'settings'
  | 'found';

/** What choosing a row does. No row ends or repeats work directly: `confirmStopAll` asks first. */
export type PaletteAct =
  | { readonly kind: 'go'; readonly route: Route }
  | { readonly kind: 'pause'; readonly forMs?: number }
  | { readonly kind: 'folder'; readonly which: 'data' | 'logs' | 'practice' }
  | { readonly kind: 'startSession'; readonly agent: string }
  /** `at`: a section of the settings window, or a section and a setting. */
  | { readonly kind: 'settings'; readonly at?: string }
  /** The search page with these words: it also searches other computers. */
  | { readonly kind: 'searchHosts'; readonly words: string }
  | { readonly kind: 'resume' | 'confirmStopAll' | 'doctor' | 'testNotification' | 'keys' };

export interface PaletteItem {
  readonly id: string;
  readonly group: PaletteGroup;
  readonly label: string;
  /** Second part of the row. */
  readonly about?: string;
  /** The contract operation that it calls: searchable, but not shown. */
  readonly verb?: WindowVerb;
  readonly keys?: string;
  /** Other search terms for it, in lowercase. Not shown. */
  readonly also?: string;
  readonly act: PaletteAct;
}
