// Begins: reads what the page was made with, and listens.

import { Board } from "./board";
import { onDrop } from "./files";
import { onKeys } from "./keys";
import { follow } from "./live";
import { View } from "./view";

const board = new Board();
new View(board);
onKeys(board);
onDrop((files) => void board.take(files));
board.begin();
follow(board);
