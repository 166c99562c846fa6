/**
 * A text stored in the journal row, or at an address of `Blobs` if it is above 32 KB (S4-+05). A
 * tool's result is stored until its turn is over; its start stays.
 */
export type StoredText =
  | { readonly kind: 'inline'; readonly text: string }
  | {
      readonly kind: 'blob';
      readonly address: string;
      readonly chars: number;
      readonly start?: string;
    };
