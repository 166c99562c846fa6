export type TrayRow =
  | { readonly kind: 'label'; readonly label: string }
  | { readonly kind: 'separator' }
  | {
      readonly kind: 'action';
      readonly label: string;
      readonly action: TrayAction;
      readonly isEnabled: boolean;
    }
  | {
      readonly kind: 'check';
      readonly label: string;
      readonly action: TrayAction;
      readonly isChecked: boolean;
    }
  | { readonly kind: 'submenu'; readonly label: string; readonly rows: readonly TrayRow[] };

export type TrayAction =
  | { readonly kind: 'open'; readonly route: string }
  /** Opens the settings window, at the section of this row. */
  | { readonly kind: 'settings'; readonly at?: 'providers' | 'updates' }
  /** Opens the small window for a prompt. */
  | { readonly kind: 'ask' }
  | { readonly kind: 'probe'; readonly provider: string }
  | { readonly kind: 'let_sleep' }
  | { readonly kind: 'stop_all' }
  | { readonly kind: 'pause'; readonly forMs?: number }
  | { readonly kind: 'resume' }
  | { readonly kind: 'toggle_quiet' }
  | { readonly kind: 'copy_diagnostics' }
  | { readonly kind: 'quit' }
  /** Quit when the running steps are done, or cancel that. */
  | { readonly kind: 'quit_when_done'; readonly isWanted: boolean };
